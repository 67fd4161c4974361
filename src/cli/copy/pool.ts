import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';

/** Small files are copied in parallel, because each costs some round trips. */
const CONCURRENCY = 6;

/** Runs tasks in parallel; the first failure is thrown to the caller. */
export class Pool {
  readonly #limit = new ConcurrencyLimit(CONCURRENCY);
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** Resolves when `task` has started. Throws if an earlier one failed. */
  async add(task: () => Promise<void>): Promise<void> {
    const release = await this.#limit.acquire();
    if (this.#failure) throw this.#failure.error;
    const running = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(running);
        release();
      });
    this.#running.add(running);
  }

  /** Resolves when all tasks have ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }
}
