import { setImmediate as soon } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../src/lib/async/concurrency-limit.js';

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
