/** Settles as `promise` does or with the signal's reason; what comes too late is given to `discard`. */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  discard: (late: T) => void,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let aborted = signal.aborted;
    const onAbort = () => {
      aborted = true;
      reject(signal.reason);
    };
    if (aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise
      .then((value) => (aborted ? discard(value) : resolve(value)), reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
