import { expect, it } from 'vitest';
import { Turns } from '../../../src/fleet/computer-use/turns.js';
import { promise } from '../../support/run/promise.js';

/** Calls whose results tell how many have been carried out. */
function counting(limits: { keys?: number } = {}) {
  const turns = new Turns<{ bytes: number }>(limits);
  let runs = 0;
  const call = (key: string) => turns.once(key, 'call', {}, async () => ({ bytes: ++runs }));
  const fail = (key: string, id = 'call') =>
    turns.once(key, id, {}, () => Promise.reject(new Error('no computer'))).catch(() => undefined);
  return { turns, call, fail };
}

promise(29, 'remembers nothing of pairs whose calls only fail', async (report) => {
  const { call, fail } = counting({ keys: 2 });
  expect(await call('first')).toEqual({ bytes: 1 });
  for (let i = 0; i < 10_000; i++) await fail(`key ${i}`);
  // It would be one pair too many if one of them was kept.
  expect(await call('second')).toEqual({ bytes: 2 });
  expect(await call('first')).toEqual({ bytes: 1 });
  report('10,000 failed pairs, none kept');
});

it('bounds the pairs whose calls have not ended', async () => {
  const { turns, call } = counting({ keys: 10 });
  await call('first');
  for (let i = 0; i < 10; i++) {
    void turns.once(`key ${i}`, 'call', {}, () => new Promise(() => undefined));
  }
  expect(await call('first')).toEqual({ bytes: 2 });
});

it('remembers a call beside one that fails', async () => {
  const { call, fail } = counting();
  await call('key');
  await fail('key', 'bad');
  expect(await call('key')).toEqual({ bytes: 1 });
});
