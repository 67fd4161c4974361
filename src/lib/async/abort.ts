/**
 * Calls `listener` once with the signal's reason, at once if it is already aborted. Returns a
 * function that removes the listener.
 */
export function onAbort(
  signal: AbortSignal | undefined,
  listener: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    listener(signal.reason);
    return () => {};
  }
  const handle = () => listener(signal.reason);
  signal.addEventListener('abort', handle, { once: true });
  return () => signal.removeEventListener('abort', handle);
}

/**
 * Settles as `promise` does, or rejects with the signal's reason if it is aborted first. A value
 * that arrives after that is passed to `onLate`, for example to close it; a late rejection is
 * ignored.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  { onLate }: { onLate?: (value: T) => void } = {},
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let isLate = false;
    const dispose = onAbort(signal, (reason) => {
      isLate = true;
      reject(reason);
    });
    promise.then((value) => (isLate ? onLate?.(value) : resolve(value)), reject).finally(dispose);
  });
}

/**
 * Runs `work` with a signal that is aborted with the first of `signals`. When it has ended, nothing
 * is left on them. `AbortSignal.any` leaves at least 60 bytes on each for as long as that exists (Node.js 20).
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const disposals = signals.map((signal) => onAbort(signal, (reason) => controller.abort(reason)));
  try {
    return await work(controller.signal);
  } finally {
    for (const dispose of disposals) dispose();
  }
}
