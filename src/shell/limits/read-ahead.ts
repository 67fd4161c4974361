/** How a file is read: bytes of one request, and requests in flight. */
export interface ReadSize {
  readonly chunk: number;
  readonly ahead: number;
}

/**
 * A little less than OpenSSH's largest packet (256 KiB). More requests would be slower, because they
 * exceed the caches. A reader whose client reads nothing keeps twice as much.
 */
const FAST: ReadSize = { chunk: 252 * 1024, ahead: 4 };
/** For those beyond the limits, which may be hundreds. */
const SLOW: ReadSize = { chunk: 16 * 1024, ahead: 2 };
/** Fast readers of a computer, and of all. */
const MOST_OF_COMPUTER = 4;
const MOST = 32;

/** Limits the memory of files that are read. */
export class ReadAhead {
  readonly #ofComputer = new WeakMap<object, number>();
  #all = 0;

  /** A reader of a computer's file, until it leaves. */
  enter(computer: object): { readonly size: ReadSize; leave(): void } {
    let isFast = false;
    let hasLeft = false;
    const change = (by: number) => {
      this.#all += by;
      this.#ofComputer.set(computer, (this.#ofComputer.get(computer) ?? 0) + by);
      isFast = by > 0;
    };
    const hasRoom = () =>
      this.#all < MOST && (this.#ofComputer.get(computer) ?? 0) < MOST_OF_COMPUTER;
    return {
      get size() {
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
