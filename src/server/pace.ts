import { ApiError } from '../contract/errors.js';

/** A transfer that moves less than this many bytes in this many milliseconds is ended: 2 KiB/s. */
const LEAST_BYTES = 64 * 1024;
const WITHIN_MS = 30_000;

type Side = 'client' | 'guest';

/** Watches that a transfer gets on, and knows who holds it up. */
export class Pace {
  #timer: NodeJS.Timeout | undefined;
  readonly #controller = new AbortController();
  #moved = 0;
  /** Whom the transfer waits for at the moment. */
  waitingFor: Side = 'guest';

  /** From here on it has to get on. */
  start(): void {
    this.#timer ??= setInterval(() => this.#check(), WITHIN_MS);
    this.#timer.unref();
  }

  /** Aborted with `request_timeout` for a slow client, `guest_timeout` for a slow computer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  moved(bytes: number): void {
    this.#moved += bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#moved < LEAST_BYTES) {
      this.stop();
      this.#controller.abort(
        this.waitingFor === 'client'
          ? new ApiError('request_timeout', 'The client is too slow; the transfer was ended.')
          : new ApiError('guest_timeout', 'The computer stopped in the middle of the transfer.'),
      );
    }
    this.#moved = 0;
  }
}
