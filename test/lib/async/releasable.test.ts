import { expect, it } from 'vitest';
import { deferred } from '../../../src/lib/async/deferred.js';
import { Queue } from '../../../src/lib/async/queue.js';
import { releasable } from '../../../src/lib/async/releasable.js';

it('lets the next task run when the first one releases the queue', async () => {
  const queue = new Queue();
  const end = deferred<string>();
  const order: string[] = [];
  const first = releasable(
    (work) => queue.run(work),
    async (release) => {
      order.push('first');
      release();
      return end.promise;
    },
  );
  await queue.run(async () => order.push('second'));
  expect(order).toEqual(['first', 'second']);
  end.resolve('result');
  expect(await first).toBe('result');
});

it('holds the queue until the task ends, also with an error', async () => {
  const queue = new Queue();
  const end = deferred<string>();
  const turn = (work: () => Promise<unknown>) => queue.run(work);
  const first = releasable(turn, () => end.promise);
  const second = queue.run(async () => 'second');
  const waits = new Promise((resolve) => setImmediate(resolve, 'waits'));
  expect(await Promise.race([second, waits])).toBe('waits');
  end.reject(new Error('it failed'));
  await expect(first).rejects.toThrow('it failed');
  expect(await second).toBe('second');
});

it('rejects with an error after the release', async () => {
  const failing = releasable(
    (work) => new Queue().run(work),
    async (release) => {
      release();
      throw new Error('it failed');
    },
  );
  await expect(failing).rejects.toThrow('it failed');
});
