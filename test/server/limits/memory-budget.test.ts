import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/server/limits/memory-budget.js';
import { fullKeyOf, limitedKeyOf } from '../../support/accounts/key-in-use.js';

const a = fullKeyOf('a');
const b = fullKeyOf('b');
const { signal } = new AbortController();

it('limits each owner and all together, and always allows one piece', async () => {
  const budget = new MemoryBudget({ ownerBytes: 10, bytes: 15 });
  expect(budget.tryHold(a, 100)).toBe(true);
  expect(budget.tryHold(a, 1)).toBe(false);
  // Another owner's first piece does not depend on what the first one holds.
  expect(budget.tryHold(b, 5)).toBe(true);
  expect(budget.tryHold(b, 1)).toBe(false);
  budget.release(a, 100);
  expect(budget.tryHold(b, 5)).toBe(true);
  expect(budget.tryHold(b, 1)).toBe(false);
});

it('grants what waits in order, as soon as it fits', async () => {
  const budget = new MemoryBudget({ ownerBytes: 10, bytes: 100 });
  const granted: string[] = [];
  const hold = (name: string, bytes: number, until = signal) =>
    budget.hold(a, bytes, until).then(
      () => granted.push(name),
      () => granted.push(`not ${name}`),
    );
  await hold('first', 8);
  const leaving = new AbortController();
  const waiting = [hold('large', 9), hold('left', 1, leaving.signal), hold('small', 2)];
  // A small one behind a large one does not pass it.
  expect(budget.tryHold(a, 1)).toBe(false);
  leaving.abort();
  budget.release(a, 8);
  budget.release(a, 9);
  await Promise.all(waiting);
  expect(granted).toEqual(['first', 'not left', 'large', 'small']);
});

it('leaves part of it to keys with all rights, which wait behind no limited key', async () => {
  const budget = new MemoryBudget({ ownerBytes: 16, bytes: 100 });
  const look = limitedKeyOf('a', 'look');
  expect([budget.tryHold(look, 4), budget.tryHold(look, 4)]).toEqual([true, true]);
  const waiting = budget.hold(look, 1, signal);
  expect(budget.tryHold(limitedKeyOf('a', 'act'), 4)).toBe(true);
  expect(budget.tryHold(limitedKeyOf('a', 'act'), 1)).toBe(false);
  expect(budget.tryHold(a, 4)).toBe(true);
  budget.release(look, 4);
  await waiting;
});
