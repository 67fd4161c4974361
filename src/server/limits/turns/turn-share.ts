import { nextTick } from 'node:process';
// Not the global function: a test that replaces it for a while would leave requests waiting.
import { setImmediate } from 'node:timers';
import { TakingTurns } from '../../../lib/async/keyed-queue.js';

/** Milliseconds of one turn of the event loop in which an owner's requests begin. */
const MOST_MS = 10;
/** Milliseconds after which the turns that follow are left to new connections. */
const SHORT_MS = 1;
/** Most of these turns, one after the other. */
const MOST_LEFT = 16;

interface Options {
  /** Milliseconds of one turn in which requests begin: those that arrive, and those that have waited. */
  readonly mostMs?: number;
  readonly queueMs?: number;
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
  readonly #mostLeft: number;
  readonly #accepted: () => number;
  readonly #onIdle: () => void;
  readonly #waiting = new TakingTurns<() => void>();
  /** When its first request of this turn began; undefined if none did. */
  #beganAt: number | undefined;
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
    mostLeft = MOST_LEFT,
    accepted = () => 0,
    onIdle = () => undefined,
  }: Options = {}) {
    this.#mostMs = mostMs;
    this.#queueMs = queueMs;
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
    if (this.#left > 0) return true;
    const most = this.#isQueue ? this.#queueMs : this.#mostMs;
    return this.#beganAt !== undefined && performance.now() - this.#beganAt > most;
  }

  #begin(begin: () => void): void {
    this.#beganAt ??= performance.now();
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
    const next = this.#isOver() ? undefined : this.#waiting.next();
    if (next !== undefined) this.#begin(next);
  };

  readonly #endTurn = (): void => {
    const wasLong = this.#beganAt !== undefined && performance.now() - this.#beganAt > SHORT_MS;
    const accepted = this.#accepted();
    const isWaitedFor = accepted > this.#known && (wasLong || this.#left > 0);
    this.#known = accepted;
    this.#beganAt = undefined;
    this.#left = isWaitedFor && this.#left < this.#mostLeft ? this.#left + 1 : 0;
    const next = this.#left > 0 ? undefined : this.#waiting.next();
    this.#isQueue = next !== undefined;
    this.#isCounting = this.#left > 0 || this.#isQueue;
    if (this.#isCounting) setImmediate(this.#endTurn);
    else this.#onIdle();
    if (next !== undefined) this.#begin(next);
  };
}
