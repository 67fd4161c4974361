import { nextTick } from 'node:process';
// Not the global function: a test that replaces it for a while would leave requests waiting.
import { setImmediate } from 'node:timers';
import { TakingTurns } from '../../../lib/async/keyed-queue.js';

/** Milliseconds of one turn of the event loop in which an owner's requests begin. */
const MOST_MS = 10;
/** Milliseconds of an owner's requests after which the turns that follow are left to new connections. */
const SHORT_MS = 1;
/** Most of these turns, one after the other. */
const MOST_LEFT = 16;

interface Options {
  /** Milliseconds of one turn in which requests begin: those that arrive, and those that have waited. */
  readonly mostMs?: number;
  readonly queueMs?: number;
  /** Milliseconds of one turn after which the turns that follow are left to new connections. */
  readonly shortMs?: number;
  /** Most turns that are left to new connections, one after the other. */
  readonly mostLeft?: number;
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
  readonly #mostMs: number;
  readonly #queueMs: number;
  readonly #shortMs: number;
  readonly #mostLeft: number;
  readonly #accepted: () => number;
  readonly #onIdle: () => void;
  readonly #waiting = new TakingTurns<() => void>();
  /** Requests that began in this turn, and the milliseconds that they took, not those of others. */
  #begun = 0;
  #usedMs = 0;
  /** When the last of them began. */
  #begunAt = 0;
  /** Turns that were left to new connections, and the connections until then. */
  #left = 0;
  #known = 0;
  #isCounting = false;
  /** This turn began with one that had waited. */
  #isQueue = false;
  /** What began last has promises to continue with. */
  #isSettling = false;

  constructor({
    mostMs = MOST_MS,
    queueMs = 0,
    shortMs = SHORT_MS,
    mostLeft = MOST_LEFT,
    accepted = () => 0,
    onIdle = () => undefined,
  }: Options = {}) {
    this.#mostMs = mostMs;
    this.#queueMs = queueMs;
    this.#shortMs = shortMs;
    this.#mostLeft = mostLeft;
    this.#accepted = accepted;
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return !this.#isCounting;
  }

  /**
   * Calls `begin` now, and returns true, or later: then one queue after the other, and in the order of a
   * queue.
   */
  enter(begin: () => void, queue = ''): boolean {
    if (this.#waiting.isEmpty && !this.#isSettling && !this.#isOver()) {
      this.#begin(begin);
      return true;
    }
    this.#waiting.add(queue, begin);
    return false;
  }

  /** Forgets one that waits: its client has left, and its request would stay in memory. */
  leave(begin: () => void, queue = ''): void {
    this.#waiting.delete(queue, begin);
  }

  #isOver(): boolean {
    const most = this.#isQueue ? this.#queueMs : this.#mostMs;
    return this.#left > 0 || (this.#begun > 0 && this.#usedMs >= most);
  }

  #begin(begin: () => void): void {
    this.#begun += 1;
    this.#begunAt = performance.now();
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#known = this.#accepted();
      setImmediate(this.#endTurn);
    }
    this.#isSettling = true;
    // What follows from its promises counts, too: the next one begins after that.
    queueMicrotask(() => nextTick(this.#settle));
    begin();
  }

  readonly #settle = (): void => {
    this.#isSettling = false;
    this.#usedMs += performance.now() - this.#begunAt;
    const next = this.#isOver() ? undefined : this.#waiting.next();
    if (next !== undefined) this.#begin(next);
  };

  readonly #endTurn = (): void => {
    const wasLong = this.#usedMs > this.#shortMs;
    const accepted = this.#accepted();
    const isWaitedFor = accepted > this.#known && (wasLong || this.#left > 0);
    this.#known = accepted;
    this.#begun = 0;
    this.#usedMs = 0;
    this.#left = isWaitedFor && this.#left < this.#mostLeft ? this.#left + 1 : 0;
    const next = this.#left > 0 ? undefined : this.#waiting.next();
    this.#isQueue = next !== undefined;
    this.#isCounting = this.#left > 0 || this.#isQueue;
    if (this.#isCounting) setImmediate(this.#endTurn);
    else this.#onIdle();
    if (next !== undefined) this.#begin(next);
  };
}
