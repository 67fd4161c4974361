import { nextTick } from 'node:process';
// Not the global function: a test that replaces it for a while would leave requests waiting.
import { setImmediate } from 'node:timers';

/** Milliseconds of one turn of the event loop in which an owner's requests begin. */
const MOST_MS = 10;
/** Milliseconds after which the turns that follow are left to new connections. */
const SHORT_MS = 1;
/** Most of these turns, one after the other. */
const MOST_LEFT = 16;

interface Options {
  /** The number of connections that the server has accepted: it accepts one in a turn. */
  readonly accepted?: () => number;
  /** Called when no turn counts any more. */
  readonly onIdle?: () => void;
}

/**
 * Leaves turns of the event loop to others. Requests that arrive together would all be handled in one
 * turn; once those of an owner have taken a while, its others begin one per turn, and only when no
 * connections wait to be accepted.
 */
export class TurnShare {
  readonly #accepted: () => number;
  readonly #onIdle: () => void;
  readonly #waiting: (() => void)[] = [];
  /** When its first request of this turn began; undefined if none did. */
  #beganAt: number | undefined;
  /** Turns that were left to new connections, and the connections until then. */
  #left = 0;
  #known = 0;
  #isCounting = false;
  /** This turn began with one that had waited: it is the only one. */
  #isQueue = false;
  /** What began last has promises to continue with. */
  #isSettling = false;

  constructor({ accepted = () => 0, onIdle = () => undefined }: Options = {}) {
    this.#accepted = accepted;
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return !this.#isCounting;
  }

  /** Calls `begin` now or in a later turn, in order. */
  enter(begin: () => void): void {
    const waits = this.#waiting.length > 0 || this.#isSettling || this.#isOver();
    if (waits) this.#waiting.push(begin);
    else this.#begin(begin);
  }

  #isOver(): boolean {
    if (this.#left > 0 || this.#isQueue) return true;
    return this.#beganAt !== undefined && performance.now() - this.#beganAt > MOST_MS;
  }

  #begin(begin: () => void): void {
    this.#beganAt ??= performance.now();
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#known = this.#accepted();
      setImmediate(this.#endTurn);
    }
    this.#run(begin);
  }

  /** What follows from its promises counts, too: the next one begins after that. */
  #run(begin: () => void): void {
    this.#isSettling = true;
    queueMicrotask(() => nextTick(this.#settle));
    begin();
  }

  readonly #settle = (): void => {
    this.#isSettling = false;
    const next = this.#isOver() ? undefined : this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
  };

  readonly #endTurn = (): void => {
    const wasLong = this.#beganAt !== undefined && performance.now() - this.#beganAt > SHORT_MS;
    const accepted = this.#accepted();
    const isWaitedFor = accepted > this.#known && (wasLong || this.#left > 0);
    this.#known = accepted;
    this.#beganAt = undefined;
    this.#left = isWaitedFor && this.#left < MOST_LEFT ? this.#left + 1 : 0;
    const next = this.#left > 0 ? undefined : this.#waiting.shift();
    this.#isQueue = next !== undefined;
    this.#isCounting = this.#left > 0 || this.#isQueue;
    if (this.#isCounting) setImmediate(this.#endTurn);
    else this.#onIdle();
    if (next === undefined) return;
    this.#beganAt = performance.now();
    this.#run(next);
  };
}
