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

/** Different items of several keys, which are taken from one key after the other, in the order of each key. */
export class TakingTurns<T> {
  /** The key whose turn is next is the first. */
  readonly #items = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  add(key: string, item: T): void {
    const items = this.#items.get(key);
    if (items === undefined) this.#items.set(key, new Set([item]));
    else items.add(item);
  }

  /** Removes an item, if it was not taken. */
  delete(key: string, item: T): void {
    const items = this.#items.get(key);
    if (items?.delete(item) && items.size === 0) this.#items.delete(key);
  }

  next(): T | undefined {
    for (const [key, items] of this.#items) {
      this.#items.delete(key);
      for (const item of items) {
        items.delete(item);
        if (items.size > 0) this.#items.set(key, items);
        return item;
      }
    }
    return undefined;
  }
}
