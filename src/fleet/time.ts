import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../contract/errors.js';

/** Waits `ms` milliseconds; rejects at once when `signal` is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {});
}

/** Settles as `promise` does, or rejects with the signal's reason when it is aborted first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Runs `work` with a signal that is aborted after `ms` milliseconds, or with `parent`. Rejects
 * with ApiError `guest_timeout` and `message` at the deadline even if `work` pays no attention.
 */
export async function withDeadline<T>(
  ms: number,
  message: string,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  parent?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new ApiError('guest_timeout', message)), ms);
  try {
    return await abortable(work(controller.signal), controller.signal);
  } catch (error) {
    // What the work makes of the abort matters less than why it was aborted.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', onAbort);
  }
}

/** A request waits so long for a computer to become ready, then answers with how far it is. */
const ANSWER_AFTER_MS = 60_000;

/** Settles as `settled` does, or resolves when a request has waited as long as one does. */
export async function withinAnswer(settled: Promise<void>): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([settled, sleep(ANSWER_AFTER_MS, timer.signal)]);
  } finally {
    timer.abort();
  }
}

/** Tries `work` until it succeeds or the signal is aborted, with pauses of 10 to 100 milliseconds. */
export async function untilSuccess<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 100)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.code === 'engine_unavailable') throw error;
      await sleep(pause, signal);
    }
  }
}
