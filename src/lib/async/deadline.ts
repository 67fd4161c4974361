import { abortable, onAbort } from './abort.js';
import { sleep } from './sleep.js';

export interface Deadline {
  readonly ms: number;
  /** Makes the error to reject with when the time is up. */
  readonly onTimeout: () => Error;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with a signal that is aborted after `ms` milliseconds or with `deadline.signal`.
 * Rejects with the reason of the abort as soon as it happens, even if `work` ignores its signal.
 */
export async function withDeadline<T>(
  { ms, onTimeout, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const dispose = onAbort(signal, (reason) => controller.abort(reason));
  const timer = setTimeout(() => controller.abort(onTimeout()), ms);
  try {
    return await abortable(work(controller.signal), controller.signal);
  } catch (error) {
    // The reason of the abort is more useful than the error that the abort caused.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    dispose();
  }
}

/** Settles as `promise` does, unless the time is up or the signal is aborted first. */
export function within<T>(promise: Promise<T>, deadline: Deadline): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(deadline.onTimeout())), deadline.ms);
    let dispose = () => {};
    function settle(act: () => void) {
      clearTimeout(timer);
      dispose();
      act();
    }
    dispose = onAbort(deadline.signal, (reason) => settle(() => reject(reason)));
    promise.then(
      (value) => settle(() => resolve(value)),
      (reason) => settle(() => reject(reason)),
    );
  });
}

/** True when `promise` resolves within `ms` milliseconds, else false. Rejects as it does. */
export async function resolvesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, timer.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
}
