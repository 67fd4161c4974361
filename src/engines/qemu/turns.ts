/** Runs what has the same key one after the other; what has another at the same time. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** True while something with this key runs or waits. */
  busy(key: string): boolean {
    return this.#last.has(key);
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled([...this.#last.values()]);
  }
}
