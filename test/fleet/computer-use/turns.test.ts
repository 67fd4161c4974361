// @module-tag slow
import { expect, it } from 'vitest';
import { Turns } from '../../../src/fleet/computer-use/turns.js';
import { promise } from '../../support/run/promise.js';

/** Calls whose results tell how many have been carried out. */
function counting(...parameters: ConstructorParameters<typeof Turns>) {
  const turns = new Turns<{ bytes: number }>(...parameters);
  let runs = 0;
  const caller = (keyId: string, ownerId = 'owner') => ({ ownerId, keyId, computerId: 'pc' });
  const call = (key: string, owner?: string) =>
    turns.once(caller(key, owner), 'call', {}, async () => ({ bytes: ++runs }));
  const fail = (key: string, id = 'call') =>
    turns
      .once(caller(key), id, {}, () => Promise.reject(new Error('no computer')))
      .catch(() => undefined);
  /** A call that never ends. */
  const hang = (key: string, owner?: string, id = 'call') => {
    void turns.once(caller(key, owner), id, {}, () => {
      runs += 1;
      return new Promise(() => undefined);
    });
  };
  /** A call with a result of this size. */
  const fill = (key: string, owner: string, bytes: number, id = 'call') =>
    turns.once(caller(key, owner), id, {}, async () => {
      runs += 1;
      return { bytes };
    });
  return { turns, call, fail, hang, fill, caller, runs: () => runs };
}

promise(29, 'remembers nothing of pairs whose calls only fail', async (report) => {
  const { call, fail } = counting({ pairs: 2 });
  expect(await call('first')).toEqual({ bytes: 1 });
  for (let i = 0; i < 10_000; i++) await fail(`key ${i}`);
  // It would be one pair too many if one of them was kept.
  expect(await call('second')).toEqual({ bytes: 2 });
  expect(await call('first')).toEqual({ bytes: 1 });
  report('10,000 failed pairs, none kept');
});

it('remembers a call beside one that fails', async () => {
  const { call, fail } = counting();
  await call('key');
  await fail('key', 'bad');
  expect(await call('key')).toEqual({ bytes: 1 });
});

it('never drops a call that runs', async () => {
  const { call, hang, fill, runs } = counting({ calls: 2, pairs: 5, bytes: 1_000 });
  hang('key');
  for (let i = 0; i < 20; i += 1) await fill('key', 'owner', 10, `call ${i}`);
  for (let i = 0; i < 20; i += 1) await fill(`key ${i}`, 'owner', 100);
  for (let i = 0; i < 20; i += 1) await fill(`key ${i}`, `owner ${i}`, 1_000);
  const before = runs();
  hang('key');
  expect(runs(), 'it was not carried out again').toBe(before);
  expect(await call('other')).toEqual({ bytes: before + 1 });
});

it('drops the results of the pair that was used longest ago', async () => {
  const { fill, runs } = counting({ bytes: 250 });
  for (const key of ['a', 'b', 'a', 'c']) await fill(key, 'owner', 100);
  expect(runs()).toBe(3);
  await fill('a', 'owner', 100);
  expect(runs(), 'the first is kept, it was used again').toBe(3);
  await fill('b', 'owner', 100);
  expect(runs()).toBe(4);
});

it('counts a result whose id is long', async () => {
  const { fill, runs } = counting({ bytes: 1_000 });
  await fill('a', 'owner', 1, 'x'.repeat(400));
  await fill('b', 'owner', 1, 'x'.repeat(400));
  await fill('a', 'owner', 1, 'x'.repeat(400));
  expect(runs()).toBe(3);
});

it('forgets the calls of a key or computer that was removed', async () => {
  const { turns, call } = counting();
  await call('key');
  turns.forget({ keyId: 'other' });
  expect(await call('key')).toEqual({ bytes: 1 });
  turns.forget({ keyId: 'key' });
  expect(await call('key')).toEqual({ bytes: 2 });
  turns.forget({ computerId: 'pc' });
  expect(await call('key')).toEqual({ bytes: 3 });
});

it('forgets a call that was carried out again after those before it', async () => {
  let now = 0;
  const { call } = counting({ calls: 2 }, () => now);
  await call('first');
  await call('second');
  now += 10 * 60_000;
  expect(await call('first')).toEqual({ bytes: 3 });
  await call('third');
  expect(await call('first'), 'the new result is remembered').toEqual({ bytes: 3 });
});

it('carries out a call again 10 minutes after it has ended', async () => {
  let now = 0;
  const { call, hang, runs } = counting({}, () => now);
  await call('key');
  hang('other');
  now += 10 * 60_000 - 1;
  expect(await call('key')).toEqual({ bytes: 1 });
  now += 1;
  expect(await call('key')).toEqual({ bytes: 3 });
  now += 1;
  expect(await call('key'), 'the new result is remembered').toEqual({ bytes: 3 });
  hang('other');
  expect(runs(), 'a call that runs is not repeated').toBe(3);
});
