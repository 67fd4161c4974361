/** Bytes of all guests that wait in the service to be read. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Bytes of a guest that are never too many: windows of some channels whose clients read slowly. */
const GUARANTEED = 16 * 1024 * 1024;
/** Milliseconds between two counts of all guests: most are only counted when they send something. */
const COUNT_EVERY_MS = 50;

interface Guest {
  readonly count: () => number;
  /** When it was last counted. */
  bytes: number;
}

/**
 * Divides the memory for bytes that guests have sent and nobody has read yet. Beyond the limit, a guest
 * with more than an equal part of it has too much. It is divided among those with more than what each
 * may have in any case.
 */
export class UnreadShares {
  readonly #most: number;
  readonly #guaranteed: number;
  readonly #guests = new Set<Guest>();
  #total = 0;
  #countedAt = 0;

  constructor(most = MOST_BYTES, guaranteed = GUARANTEED) {
    this.#most = most;
    this.#guaranteed = guaranteed;
  }

  /** A guest until it leaves; `count` returns what of its bytes nobody has read. */
  enter(count: () => number): { readonly isTooMuch: () => boolean; leave(): void } {
    const guest = { count, bytes: 0 };
    this.#guests.add(guest);
    return {
      isTooMuch: () => {
        this.#count(guest);
        if (this.#total <= this.#most || guest.bytes <= this.#guaranteed) return false;
        if (performance.now() - this.#countedAt > COUNT_EVERY_MS) {
          this.#countedAt = performance.now();
          for (const each of this.#guests) this.#count(each);
        }
        const large = [...this.#guests].filter(({ bytes }) => bytes > this.#guaranteed);
        return this.#total > this.#most && guest.bytes > this.#most / large.length;
      },
      leave: () => {
        if (this.#guests.delete(guest)) this.#total -= guest.bytes;
      },
    };
  }

  #count(guest: Guest): void {
    const bytes = guest.count();
    this.#total += bytes - guest.bytes;
    guest.bytes = bytes;
  }
}

export const unreadShares = new UnreadShares();
