/**
 * Calls listeners soon after something was written. Writes and their transactions are synchronous, so
 * by then they are committed or rolled back; many writes at once are one call.
 */
export class Notifier {
  readonly #listeners = new Set<() => void>();
  #scheduled: NodeJS.Immediate | undefined;

  notify(): void {
    if (this.#listeners.size === 0) return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      for (const listener of this.#listeners) listener();
    });
  }

  /** Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#listeners.clear();
  }
}
