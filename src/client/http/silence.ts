import { sleep } from '../../lib/async/sleep.js';
import { ServiceSilentError } from '../errors.js';
import { isSilent } from '../platform/index.js';

/** How long a request may go unanswered before the service is checked; the check's own limit. */
export const CHECK_AFTER_MS = 5_000;

/** Between two checks of a long request. */
const CHECK_EVERY_MS = 30_000;

export interface Watched {
  readonly url: URL;
  readonly checkAfterMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Settles as `work` does. While it has not, checks with small requests that the service answers at
 * all; if one is not answered in time, aborts `work` and throws ServiceSilentError. A stopped process
 * still accepts connections, and requests such as `wait` and `create` may take minutes.
 */
export async function whileAnswering<T>(
  { url, checkAfterMs, signal }: Watched,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const silent = new AbortController();
  const settled = new AbortController();
  const either = signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]);
  watch(url, checkAfterMs, settled.signal).then(
    () => silent.abort(new ServiceSilentError(url.href)),
    () => {},
  );
  try {
    return await work(either);
  } catch (error) {
    throw silent.signal.aborted ? silent.signal.reason : error;
  } finally {
    settled.abort();
  }
}

/** Resolves when the service does not answer; rejects when the signal is aborted. */
async function watch(url: URL, checkAfterMs: number, signal: AbortSignal): Promise<void> {
  for (let pause = checkAfterMs; ; pause = Math.max(checkAfterMs, CHECK_EVERY_MS)) {
    await sleep(pause, signal);
    if (await isSilent(url, checkAfterMs, signal)) return;
  }
}
