import { abortable } from '../../lib/async/abort.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';

/** Machines whose first frame is awaited at the same time: each has its whole picture in memory. */
const MOST_AT_ONCE = 16;
/** Milliseconds that a machine has its place for at most: others do not wait for one that hangs. */
const LONGEST_MS = 1_000;

const places = new ConcurrencyLimit(MOST_AT_ONCE);

/**
 * Resolves when few machines that were just started wait to become ready. The returned function ends
 * the caller's wait; it is idempotent.
 */
export async function readyPlace(signal: AbortSignal): Promise<() => void> {
  const release = await abortable(places.acquire(), signal, { onLate: (late) => late() });
  let isLeft = false;
  const leave = () => {
    clearTimeout(timer);
    if (!isLeft) release();
    isLeft = true;
  };
  const timer = setTimeout(leave, LONGEST_MS);
  return leave;
}
