import { expect, it } from 'vitest';
import { sleep } from '../../../src/lib/async/sleep.js';

it('resolves after the time', async () => {
  await expect(sleep(20)).resolves.toBeUndefined();
});

it('rejects with the reason as soon as the signal is aborted', async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(new Error('over'));
  await expect(sleeping).rejects.toThrow('over');
  await expect(sleep(60_000, controller.signal)).rejects.toThrow('over');
});
