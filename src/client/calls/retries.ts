import { sleep } from '../../lib/async/sleep.js';
import { ServiceError, ServiceTimeoutError, ServiceUnreachableError } from '../errors.js';
import { codeOf } from '../http/failures.js';

export const DEFAULT_RETRIES = 2;
/** Codes of a connection that was lost before the answer came. */
const LOST = ['ECONNRESET', 'EPIPE', 'FETCH_FAILED'];
const FIRST_PAUSE_MS = 250;
/** A service that asks for a longer pause gets no second attempt. */
const LONGEST_PAUSE_MS = 60_000;
/** A service of this machine that restarts refuses connections for a second or two. */
const RESTART_MS = 5_000;
const RESTART_PAUSE_MS = 500;

interface RetryOptions {
  /** It has the same effect if it is carried out twice. */
  readonly isIdempotent: boolean;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Attempts a request again where that has no effect of its own: after 429 and a refused connection
 * always, after 502, 503 and a lost connection if it is idempotent. Waits in between as long as `Retry-After` says, or
 * about 250 ms, then 500 ms and so on. A service of this machine that refuses connections is tried for
 * 5 s, as it may restart.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { isIdempotent, maxRetries, signal }: RetryOptions,
): Promise<T> {
  const begin = performance.now();
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isWorthRetrying(error, isIdempotent)) throw error;
      const mayRestart = isRefusedHere(error) && performance.now() - begin < RESTART_MS;
      if (maxRetries === 0 || (retry >= maxRetries && !mayRestart)) throw error;
      const doubled = FIRST_PAUSE_MS * 2 ** retry;
      // Without jitter, clients that were refused together would return together.
      const backoff =
        (mayRestart ? Math.min(doubled, RESTART_PAUSE_MS) : doubled) * (0.75 + Math.random() / 2);
      const pause = error.retryAfter === undefined ? backoff : error.retryAfter * 1000;
      if (pause > LONGEST_PAUSE_MS) throw error;
      await sleep(pause, signal).catch((reason: unknown) => {
        // The answer says more than that time is up.
        throw reason instanceof ServiceTimeoutError ? error : reason;
      });
    }
  }
}

/** Whether no program of this machine listens at the base URL. */
function isRefusedHere(error: ServiceError | ServiceUnreachableError): boolean {
  if (!(error instanceof ServiceUnreachableError) || codeOf(error.cause) !== 'ECONNREFUSED') {
    return false;
  }
  return /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/.test(error.baseUrl);
}

function isWorthRetrying(
  error: unknown,
  isIdempotent: boolean,
): error is ServiceError | ServiceUnreachableError {
  if (!(error instanceof ServiceError || error instanceof ServiceUnreachableError)) return false;
  if (error.status === undefined) {
    const code = codeOf(error.cause) ?? '';
    return code === 'ECONNREFUSED' || (isIdempotent && LOST.includes(code));
  }
  return error.status === 429 || (isIdempotent && [502, 503].includes(error.status));
}

/** Throws TypeError for anything but a whole number from 0 to 10. */
export function retryCount(maxRetries: unknown = DEFAULT_RETRIES): number {
  if (Number.isInteger(maxRetries) && Number(maxRetries) >= 0 && Number(maxRetries) <= 10) {
    return Number(maxRetries);
  }
  throw new TypeError(`maxRetries must be a whole number from 0 to 10, not ${String(maxRetries)}`);
}
