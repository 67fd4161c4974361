/** Runs tasks of the same key one at a time, in order; tasks of different keys run in parallel. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** True while a task with this key runs or waits. */
  busy(key: string): boolean {
    return this.#last.has(key);
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(task, task);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }

  /** Resolves when no task runs or waits. */
  async settled(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled([...this.#last.values()]);
  }
}
