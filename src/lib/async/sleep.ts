import { onAbort } from './abort.js';

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      dispose();
      resolve();
    }, ms);
    const dispose = onAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}
