import { TakingTurns } from '../../../lib/async/keyed-queue.js';

/** So many are read again in a turn of the event loop, whatever the time. */
const MOST_STARTED = 16;

/** A connection that can be read no further for a while. */
export interface Stoppable {
  /** Returns whether it was read until now. */
  stop(): boolean;
  start(): void;
}

/** Connections that are not read because others have used the time of their owner. */
export class StoppedReads {
  readonly #stopped = new TakingTurns<Stoppable>();
  /** Those that were started last. */
  readonly #started = new Set<Stoppable>();

  get isEmpty(): boolean {
    return this.#stopped.isEmpty;
  }

  /** Stops it, unless it was started last: otherwise it might never be read. */
  stop(reading: Stoppable, queue: string): void {
    if (!this.#started.has(reading) && reading.stop()) this.#stopped.add(queue, reading);
  }

  /** Starts some again, one queue after the other. */
  start(): void {
    this.#started.clear();
    while (this.#started.size < MOST_STARTED) {
      const next = this.#stopped.next();
      if (next === undefined) return;
      this.#started.add(next);
      next.start();
    }
  }
}
