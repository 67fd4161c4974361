import { expect, it } from 'vitest';
import { deferred } from '../../../src/lib/async/deferred.js';
import { KeyedQueue, TakingTurns } from '../../../src/lib/async/keyed-queue.js';

it('runs tasks of one key in order, and those of another key in parallel', async () => {
  const queue = new KeyedQueue();
  const gate = deferred<void>();
  const log: string[] = [];
  void queue.run('a', async () => {
    await gate.promise;
    log.push('a1');
  });
  const second = queue.run('a', async () => log.push('a2'));
  await queue.run('b', async () => log.push('b'));
  expect(queue.busy('a')).toBe(true);
  gate.resolve();
  await second;
  expect(log).toEqual(['b', 'a1', 'a2']);
});

it('is idle when no task runs or waits, even after one failed', async () => {
  const queue = new KeyedQueue();
  const failing = queue.run('a', () => Promise.reject(new Error('failed')));
  await Promise.all([expect(failing).rejects.toThrow('failed'), queue.settled()]);
  expect(queue.busy('a')).toBe(false);
});

it('items are taken from one key after the other, in the order of each key', () => {
  const items = new TakingTurns<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) items.add(item.charAt(0), item);
  const taken = ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined];
  expect(taken.map(() => items.next())).toEqual(taken);
  expect(items.isEmpty).toBe(true);
});

it('an item that is removed is not taken', () => {
  const items = new TakingTurns<string>();
  for (const item of ['a1', 'a2', 'b1']) items.add(item.charAt(0), item);
  for (const item of ['a1', 'b1', 'c1']) items.delete(item.charAt(0), item);
  expect([items.next(), items.next(), items.isEmpty]).toEqual(['a2', undefined, true]);
});
