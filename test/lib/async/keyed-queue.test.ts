import { expect, it } from 'vitest';
import { deferred } from '../../../src/lib/async/deferred.js';
import { KeyedQueue } from '../../../src/lib/async/keyed-queue.js';

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
