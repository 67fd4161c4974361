/** How a file is read: bytes of one request, and requests in flight. */
export interface ReadSize {
  readonly chunk: number;
  readonly ahead: number;
}

/**
 * A little less than OpenSSH's largest packet (256 KiB). More requests would be slower, because they
 * exceed the caches. While a client reads nothing, about as much again waits on the way to it.
 */
const FAST: ReadSize = { chunk: 252 * 1024, ahead: 4 };
/** For those beyond the limits, which may be hundreds. */
const SLOW: ReadSize = { chunk: 16 * 1024, ahead: 2 };
/** Fast readers of a computer, and of all; a computer always has one. */
const MOST_OF_COMPUTER = 4;
const MOST = 32;

/** Limits the memory of files that are read. */
export class ReadAhead {
  readonly #ofComputer = new WeakMap<object, number>();
  #all = 0;

  /** A reader of a computer's file, until it leaves. */
  enter(computer: object): { nextSize(): ReadSize; leave(): void } {
    let isFast = false;
    let hasLeft = false;
    const change = (by: number) => {
      this.#all += by;
      this.#ofComputer.set(computer, (this.#ofComputer.get(computer) ?? 0) + by);
      isFast = by > 0;
    };
    const hasRoom = () => {
      const own = this.#ofComputer.get(computer) ?? 0;
      return own === 0 || (own < MOST_OF_COMPUTER && this.#all < MOST);
    };
    return {
      nextSize: () => {
        // One that left may have made room.
        if (!isFast && !hasLeft && hasRoom()) change(1);
        return isFast ? FAST : SLOW;
      },
      leave: () => {
        hasLeft = true;
        if (isFast) change(-1);
      },
    };
  }
}

export const readAhead = new ReadAhead();
