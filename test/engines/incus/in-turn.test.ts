import { expect, test } from 'vitest';
import { inTurn } from '../../../src/engines/incus/client/in-turn.js';
import { ClusterError, toApiError } from '../../../src/engines/incus/errors.js';

const refusals = (...messages: string[]) => {
  let calls = 0;
  const change = async () => {
    const message = messages[calls];
    calls += 1;
    if (message !== undefined) throw toApiError(new ClusterError(400, message));
    return calls;
  };
  return { change, calls: () => calls };
};
const BUSY =
  'Failed to create instance update operation: A matching non-reusable operation has now succeeded';

test('a change that met another one of the instance is made after it', async () => {
  const { change } = refusals(BUSY, 'Instance is busy running a start operation');
  expect(await inTurn(change, undefined)).toBe(3);
});

test('other refusals are not repeated', async () => {
  const { change, calls } = refusals('No such key');
  await expect(inTurn(change, undefined)).rejects.toThrow('No such key');
  expect(calls()).toBe(1);
});

test('an abort ends the wait', async () => {
  const { change } = refusals(BUSY, BUSY);
  const reason = new Error('given up');
  await expect(inTurn(change, AbortSignal.abort(reason))).rejects.toBe(reason);
});
