import { ApiError } from '../../../contract/errors.js';
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
      if (!isBusy) throw error;
      if (attempt === ATTEMPTS) throw busy(error);
      await sleep(AGAIN_AFTER_MS, signal);
    }
  }
}

/** For example while the instance is moved: to be tried again later. */
function busy(cause: unknown): ApiError {
  const message = 'The cluster is still making another change of the computer.';
  const remedy = 'Try again in a minute.';
  return new ApiError('engine_unavailable', message, { remedy, cause });
}
