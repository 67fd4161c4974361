/** Counts of owners, all with the same limit. */
export class OwnerCount {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more until the returned function is called; undefined at the limit. */
  take(ownerId: string): (() => void) | undefined {
    const count = this.#counts.get(ownerId) ?? 0;
    if (count >= this.#most) return undefined;
    this.#counts.set(ownerId, count + 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      const left = (this.#counts.get(ownerId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(ownerId);
      else this.#counts.set(ownerId, left);
    };
  }
}
