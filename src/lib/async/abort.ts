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
