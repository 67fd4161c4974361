// Not the global function: a test that replaces it for a while would leave requests waiting.
import { setImmediate } from 'node:timers';

/** Milliseconds of one turn of the event loop in which an owner's requests begin. */
const MOST_MS = 10;

/**
 * Leaves turns of the event loop to others. Requests that arrive together would all be handled in one
 * turn; once those of an owner have taken a while, its others begin one per turn.
 */
export class TurnShare {
  #beganAt: number | undefined;
  readonly #waiting: (() => void)[] = [];

  /** Calls `begin` now or in a later turn, in order. */
  enter(begin: () => void): void {
    if (this.#waiting.length === 0 && !this.#isOver()) {
      begin();
      return;
    }
    this.#waiting.push(begin);
    if (this.#waiting.length === 1) setImmediate(this.#next);
  }

  #isOver(): boolean {
    const now = performance.now();
    if (this.#beganAt !== undefined) return now - this.#beganAt > MOST_MS;
    this.#beganAt = now;
    setImmediate(() => {
      this.#beganAt = undefined;
    });
    return false;
  }

  readonly #next = (): void => {
    const begin = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#next);
    begin?.();
  };
}
