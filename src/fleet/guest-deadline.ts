import { ApiError } from '../contract/errors.js';
import { withDeadline } from '../lib/async/deadline.js';

/** {@link withDeadline} that rejects with ApiError `guest_timeout` and `message` when time is up. */
export function withGuestDeadline<T>(
  ms: number,
  message: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const onTimeout = () => new ApiError('guest_timeout', message);
  return withDeadline({ ms, onTimeout, signal }, work);
}
