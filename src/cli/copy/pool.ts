/** Small files are copied so many at once: each costs some round trips. */
const AT_ONCE = 6;

/** Runs tasks a few at a time. */
export class Pool {
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** Starts `task` as soon as there is room. Throws what an earlier one threw. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= AT_ONCE) await Promise.race(this.#running);
    if (this.#failure) throw this.#failure.error;
    const running = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when all have ended. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.error;
  }
}
