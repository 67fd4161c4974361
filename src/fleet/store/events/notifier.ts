/** `isChange` is false if only actions were written. */
type Listener = (isChange: boolean) => void;

/**
 * Calls listeners soon after something of an owner was written. Writes and their transactions are
 * synchronous, so by then they are committed or rolled back; many writes at once are one call. What
 * is written of one owner costs the listeners of others nothing.
 */
export class Notifier {
  readonly #listeners = new Set<() => void>();
  readonly #ofOwners = new Map<string, Set<Listener>>();
  /** The owners concerned, and whether anything but an action was written. */
  #noted = new Map<string, boolean>();
  #scheduled: NodeJS.Immediate | undefined;

  notify(ownerId: string, kind: 'change' | 'action' = 'change'): void {
    if (this.#listeners.size === 0 && this.#ofOwners.size === 0) return;
    this.#noted.set(ownerId, kind === 'change' || this.#noted.get(ownerId) === true);
    this.#scheduled ??= setImmediate(() => this.#tell());
  }

  /** Calls `listener` for all owners. Returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` for one owner. Returns a function that removes it. */
  subscribeTo(ownerId: string, listener: Listener): () => void {
    const listeners = this.#ofOwners.get(ownerId) ?? new Set();
    this.#ofOwners.set(ownerId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#ofOwners.get(ownerId) === listeners) {
        this.#ofOwners.delete(ownerId);
      }
    };
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#listeners.clear();
    this.#ofOwners.clear();
  }

  #tell(): void {
    const noted = this.#noted;
    this.#noted = new Map();
    this.#scheduled = undefined;
    for (const listener of this.#listeners) listener();
    for (const [ownerId, isChange] of noted) {
      for (const listener of this.#ofOwners.get(ownerId) ?? []) listener(isChange);
    }
  }
}
