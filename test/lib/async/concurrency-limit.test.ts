import { setImmediate as soon } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ConcurrencyLimit, KeyedLimit } from '../../../src/lib/async/concurrency-limit.js';

it('runs at most as many tasks as the limit, in order, even after one failed', async () => {
  const limit = new ConcurrencyLimit(2);
  const started: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const results = [0, 1, 2, 3].map((number) =>
    limit.run(
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(number);
          ends[number] = (error) => (error ? reject(error) : resolve(number));
        }),
    ),
  );
  await soon();
  expect(started).toEqual([0, 1]);
  ends[1]?.(new Error('broken'));
  await expect(results[1]).rejects.toThrow('broken');
  await soon();
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await soon();
  expect(started).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  expect(await Promise.all([results[0], results[2], results[3]])).toEqual([0, 2, 3]);
});

it('gives the last turns after those in order, also to those that came earlier', async () => {
  const limit = new ConcurrencyLimit(1);
  const order: string[] = [];
  const wait = async (name: string, turn?: 'last') => {
    const release = await limit.acquire(turn);
    order.push(name);
    await soon();
    release();
  };
  await Promise.all([
    ...[wait('running'), wait('last 1', 'last'), wait('last 2', 'last')],
    ...[wait('a'), wait('b')],
  ]);
  expect(order).toEqual(['running', 'a', 'b', 'last 1', 'last 2']);
});

it('limits the tasks of each key', async () => {
  const limit = new KeyedLimit({ limit: 2, perKey: 1 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (key: string) =>
    limit.run(key, async () => {
      started.push(key);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(run));
  await soon();
  expect(started).toEqual(['a', 'b']);
  for (let ended = 0; ended < 6; ended++) {
    ends[ended]?.();
    await soon();
  }
  await all;
  expect(started).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

it('forgets a key, also after a task failed', async () => {
  const limit = new KeyedLimit({ limit: 1, perKey: 1 });
  await expect(limit.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await limit.run('a', async () => 1)).toBe(1);
});
