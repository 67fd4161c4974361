/** How often expiries are looked at while something is open, in milliseconds. */
const LOOK_EVERY_MS = 250;

/**
 * What is open under an id: requests and sockets of an API key or a session, which end with it. An id
 * may also end by itself, at a time of the wall clock.
 */
export class OpenUses {
  readonly #isOver: (id: string) => boolean;
  readonly #ends = new Map<string, Set<() => void>>();
  #timer: NodeJS.Timeout | undefined;

  /** `isOver` says whether an id has ended by itself. */
  constructor(isOver: (id: string) => boolean) {
    this.#isOver = isOver;
  }

  /** Calls `end` when the id ends. Returns a function that removes it. */
  add(id: string, end: () => void, expires: 'never' | 'sometime'): () => void {
    const ends = this.#ends.get(id) ?? new Set();
    this.#ends.set(id, ends.add(end));
    if (expires === 'sometime') this.watch();
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#ends.get(id) === ends) this.#ends.delete(id);
    };
  }

  /** An id that is open may end by itself from now on. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Ends everything that is open under the id, each whatever becomes of the others. */
  end(id: string): void {
    const ends = this.#ends.get(id) ?? [];
    this.#ends.delete(id);
    for (const end of ends) {
      try {
        end();
      } catch (error) {
        process.emitWarning(error as Error);
      }
    }
  }

  #look(): void {
    for (const id of this.#ends.keys()) if (this.#isOver(id)) this.end(id);
    if (this.#ends.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
