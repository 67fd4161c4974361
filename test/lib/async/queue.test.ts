import { expect, it } from 'vitest';
import { deferred } from '../../../src/lib/async/deferred.js';
import { Queue } from '../../../src/lib/async/queue.js';

it('runs tasks one at a time, in order, even after one failed', async () => {
  const queue = new Queue();
  const log: string[] = [];
  const gate = deferred<void>();
  const first = queue.run(async () => {
    log.push('first begins');
    await gate.promise;
    log.push('first ends');
    throw new Error('failed');
  });
  const second = queue.run(async () => log.push('second'));
  expect(queue.length).toBe(2);
  gate.resolve();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(log).toEqual(['first begins', 'first ends', 'second']);
});

it('never starts a task whose signal is aborted while it waits', async () => {
  const queue = new Queue();
  const gate = deferred<void>();
  const first = queue.run(() => gate.promise);
  const controller = new AbortController();
  let hasRun = false;
  const second = queue.run(async () => {
    hasRun = true;
  }, controller.signal);
  controller.abort(new Error('over'));
  await expect(second).rejects.toThrow('over');
  gate.resolve();
  await first;
  await queue.run(async () => undefined);
  expect(hasRun).toBe(false);
});
