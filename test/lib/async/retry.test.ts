import { expect, it } from 'vitest';
import { retryUntilSuccess } from '../../../src/lib/async/retry.js';

it('tries again until the work succeeds', async () => {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('not yet');
    return attempts;
  };
  const { signal } = new AbortController();
  expect(await retryUntilSuccess(work, { signal, isPermanent: () => false })).toBe(3);
});

it('throws a permanent error at once', async () => {
  const { signal } = new AbortController();
  const work = () => Promise.reject(new Error('hopeless'));
  const trying = retryUntilSuccess(work, { signal, isPermanent: () => true });
  await expect(trying).rejects.toThrow('hopeless');
});

it("rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const work = () => Promise.reject(new Error('not yet'));
  const trying = retryUntilSuccess(work, { signal, isPermanent: () => false });
  controller.abort(new Error('over'));
  await expect(trying).rejects.toThrow('over');
});
