import { sleep } from './sleep.js';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

export interface RetryOptions {
  /** Ends the attempts; the error of one that is under way is then replaced by its reason. */
  readonly signal: AbortSignal;
  /** True for an error that another attempt cannot fix: it is thrown at once. */
  readonly isPermanent: (error: unknown) => boolean;
}

/** Calls `work` until it succeeds, with pauses of 10 to 100 milliseconds. */
export async function retryUntilSuccess<T>(
  work: () => Promise<T>,
  { signal, isPermanent }: RetryOptions,
): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (isPermanent(error)) throw error;
      await sleep(pause, signal);
    }
  }
}
