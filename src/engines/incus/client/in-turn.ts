import { sleep } from '../../../lib/async/sleep.js';
import { clusterErrorOf } from '../errors.js';

/** LXD and Incus do not make a change during another one of the same instance. */
const BUSY = /matching non-reusable operation|instance is busy running/i;
const ATTEMPTS = 20;
const AGAIN_AFTER_MS = 100;

/** Makes a change of an instance, again if another one was in progress: then nothing was changed. */
export async function inTurn<T>(
  change: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      const isBusy = BUSY.test(clusterErrorOf(error)?.message ?? '');
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await sleep(AGAIN_AFTER_MS, signal);
    }
  }
}
