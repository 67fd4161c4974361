import { ServiceError, ServiceTimeoutError, ServiceUnreachableError } from '../errors.js';
import { errorFromFailure } from '../http/failures.js';

/** Options of every call. */
export interface CallOptions {
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the answer has to be there, retries included. By default what the operation
   * needs and a margin of three minutes.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * The options of the call itself, and the fields that are for the service. Methods with fields of a body
 * take the options among them, or in an object of their own, which has precedence.
 */
export function splitOptions<O extends CallOptions>({
  signal,
  timeoutMs,
  ...fields
}: O): { readonly call: CallOptions; readonly fields: Omit<O, keyof CallOptions> } {
  return { call: { signal, timeoutMs }, fields };
}

/** The longest time of a timer. */
const MAX_MS = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that is aborted with the caller's and, with a ServiceTimeoutError, after
 * `timeoutMs`. Errors of the connection are converted. `lateError` may give another error for the end
 * of the time.
 */
export async function withTimeLimit<T>(
  { signal, timeoutMs }: CallOptions,
  baseUrl: string,
  work: (signal: AbortSignal | undefined) => Promise<T>,
  lateError?: () => ServiceTimeoutError | undefined,
): Promise<T> {
  const late = timeoutMs === undefined ? undefined : new AbortController();
  const message = `the service at ${baseUrl} did not answer in time`;
  const end = () => late?.abort(lateError?.() ?? new ServiceTimeoutError(message));
  const timer = late && setTimeout(end, milliseconds(timeoutMs));
  const ended = signal && late ? AbortSignal.any([signal, late.signal]) : (signal ?? late?.signal);
  try {
    ended?.throwIfAborted();
    return await work(ended);
  } catch (failure) {
    if (failure instanceof ServiceError || failure instanceof ServiceUnreachableError) {
      throw failure;
    }
    ended?.throwIfAborted();
    throw errorFromFailure(failure, baseUrl);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws TypeError for anything but a number above 0. */
export function milliseconds(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return Math.min(timeoutMs, MAX_MS);
  throw new TypeError(`timeoutMs must be a number above 0, not ${String(timeoutMs)}`);
}
