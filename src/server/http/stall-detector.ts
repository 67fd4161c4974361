import { ApiError } from '../../contract/errors.js';

/** A transfer that moves less than this many bytes in this many milliseconds is ended: 2 KiB/s. */
const LEAST_BYTES = 64 * 1024;
const WITHIN_MS = 30_000;

type Side = 'client' | 'guest';

/** Detects a stalled transfer, and which side stalls it. */
export class StallDetector {
  #timer: NodeJS.Timeout | undefined;
  readonly #controller = new AbortController();
  #moved = 0;
  /** The side that the transfer waits for. */
  waitingFor: Side = 'guest';

  /** Starts the detection. */
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
