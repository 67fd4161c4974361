/** Runs at most `limit` tasks at the same time; the others wait in order. */
export class ConcurrencyLimit {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  readonly #waitingLast: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Resolves when there is room, with `last` after all that wait in order. The caller must call the
   * returned function exactly once.
   */
  async acquire(turn: 'in order' | 'last' = 'in order'): Promise<() => void> {
    if (this.#running < this.#limit) this.#running += 1;
    else {
      await new Promise<void>((resolve) => {
        if (turn === 'last') this.#waitingLast.push(resolve);
        else this.#waiting.push(resolve);
      });
    }
    return () => {
      // Passes its place to the next waiting task.
      const next = this.#waiting.shift() ?? this.#waitingLast.shift();
      if (next) next();
      else this.#running -= 1;
    };
  }
}
