// Not the global function: a test that replaces it for a while would leave requests waiting.
import { setImmediate } from 'node:timers';

/** Milliseconds of one turn of the event loop in which requests without a key begin. */
const MOST_MS = 5;

/**
 * The part of the event loop's turns that all requests without a key have together. Those that arrive
 * when it is used up begin in later turns, one address after the other.
 */
export class KeylessTurns {
  /** Queued requests by address; the next address is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When the first one of this turn began; undefined if none did. */
  #beganAt: number | undefined;

  /** Calls `begin` now, and returns true, or in a later turn, in the order of an address. */
  enter(address: string, begin: () => void): boolean {
    const waiting = this.#waiting.get(address);
    if (waiting !== undefined) waiting.push(begin);
    else if (this.#waiting.size > 0 || this.#isOver()) this.#waiting.set(address, [begin]);
    else {
      this.#begin(begin);
      return true;
    }
    return false;
  }

  #isOver(): boolean {
    return this.#beganAt !== undefined && performance.now() - this.#beganAt > MOST_MS;
  }

  #begin(begin: () => void): void {
    if (this.#beganAt === undefined) {
      this.#beganAt = performance.now();
      setImmediate(this.#nextTurn);
    }
    begin();
  }

  readonly #nextTurn = (): void => {
    this.#beganAt = undefined;
    while (this.#waiting.size > 0 && !this.#isOver()) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const [address, [begin, ...others]] = first;
      this.#waiting.delete(address);
      if (others.length > 0) this.#waiting.set(address, others);
      if (begin !== undefined) this.#begin(begin);
    }
  };
}
