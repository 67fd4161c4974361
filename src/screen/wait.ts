/** A promise and the two functions that end it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  // Whoever waits sees the rejection; when no one does any more, it must not end the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}

export interface Limits {
  /** Milliseconds until `onTimeout` is thrown. */
  readonly timeoutMs: number;
  readonly onTimeout: () => Error;
  readonly signal?: AbortSignal;
}

/** `promise`, but no longer than its limits allow. Rejects with the signal's reason on abort. */
export function within<T>(promise: Promise<T>, limits: Limits): Promise<T> {
  const { timeoutMs, onTimeout, signal } = limits;
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      // What becomes of it is nobody's business any more, and must not end the process.
      promise.catch(() => {});
      return;
    }
    const onAbort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => settle(() => reject(onTimeout())), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    function settle(act: () => void) {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      act();
    }
    promise.then(
      (value) => settle(() => resolve(value)),
      (reason) => settle(() => reject(reason)),
    );
  });
}

/** Resolves after `milliseconds`; rejects with the signal's reason on abort. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
