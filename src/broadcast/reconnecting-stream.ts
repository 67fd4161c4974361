import { ApiError } from '../contract/errors.js';
import { sleep } from '../lib/async/sleep.js';
import { messageOf, targetFailed } from './errors.js';

/** Streams once; see {@link publish}. Resolves when the screen was resized, which needs a new stream. */
export type Attempt = (signal: AbortSignal, onLive: (pid: number) => void) => Promise<void>;

export interface ReconnectingStatus {
  readonly status: 'streaming' | 'terminated';
  readonly startedAt: Date;
  /** Process id of the current or last encoder. */
  readonly pid: number | undefined;
  /** Why it ended, or why it reconnects. */
  readonly message: string | undefined;
}

/** Retry policy, in milliseconds. */
export interface Policy {
  /** Time to start streaming. */
  readonly startMs: number;
  /** Time to reconnect. */
  readonly giveUpMs: number;
  /** Time live until a stream counts as recovered. */
  readonly steadyMs: number;
  /** The pause before the first retry, doubled for each further one up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const POLICY: Policy = {
  startMs: 8_000,
  giveUpMs: 60_000,
  steadyMs: 10_000,
  firstPauseMs: 250,
  longestPauseMs: 8_000,
};

/** Replaced in tests. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const steadyClock: Clock = { now: () => performance.now(), sleep };

interface ReconnectingStreamOptions {
  readonly attempt: Attempt;
  /** The target's name in messages; contains no secret. */
  readonly label: string;
  readonly policy?: Policy;
  readonly clock?: Clock;
  /** Called with each failure that is retried, and with the final one. */
  readonly onTrouble?: (message: string) => void;
}

/** Keeps a stream running: reconnects with increasing delays when it breaks, then gives up. */
export class ReconnectingStream {
  readonly #label: string;
  /** Until the end: what a caller's function refers to may be large, and an ended stream may be kept. */
  #onTrouble: ((message: string) => void) | undefined;
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #startedAt = new Date();
  readonly #running: Promise<void>;
  #live: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  #terminated = false;
  #failure: ApiError | undefined;
  #message: string | undefined;
  #pid: number | undefined;
  #liveSince: number | undefined;
  #lastGood: number;
  #wasLive = false;
  #failures = 0;

  constructor(options: ReconnectingStreamOptions) {
    this.#label = options.label;
    this.#onTrouble = options.onTrouble;
    this.#policy = options.policy ?? POLICY;
    this.#clock = options.clock ?? steadyClock;
    this.#lastGood = this.#clock.now();
    this.#running = Promise.resolve().then(() => this.#run(options.attempt));
  }

  /** Resolves when the first frame is sent; rejects when the stream ends before. */
  live(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#wasLive) return resolve();
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#live = { resolve, reject };
    });
  }

  /** Resolves when the stream has ended, for any reason. */
  get over(): Promise<void> {
    return this.#running;
  }

  get status(): ReconnectingStatus {
    const status = this.#terminated ? 'terminated' : 'streaming';
    return { status, startedAt: this.#startedAt, pid: this.#pid, message: this.#message };
  }

  /** Ends the stream for `reason`; resolves when it has ended. */
  async end(reason: string): Promise<void> {
    this.#terminate(new ApiError('conflict', reason));
    this.#ending.abort(new ApiError('conflict', reason));
    await this.#running;
  }

  async #run(attempt: Attempt): Promise<void> {
    const { signal } = this.#ending;
    while (!this.#terminated) {
      try {
        await attempt(signal, (pid) => this.#onLive(pid));
        await this.#renew(signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#reconnect(error, signal);
      }
    }
  }

  #onLive(pid: number): void {
    this.#pid = pid;
    this.#liveSince = this.#clock.now();
    this.#message = undefined;
    this.#wasLive = true;
    this.#live?.resolve();
  }

  /** Restarts after a resize, with increasing delays if resizes are frequent. */
  async #renew(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    // The target accepted the stream until now.
    if (this.#liveSince !== undefined) this.#lastGood = now;
    if (this.#endLive(now) === 'steady') return;
    await this.#clock.sleep(this.#nextPause(), signal).catch(() => undefined);
  }

  async #reconnect(error: unknown, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const { startMs, giveUpMs } = this.#policy;
    if (this.#endLive(now) === 'steady') this.#lastGood = now;
    const pause = this.#nextPause();
    const patience = this.#wasLive ? giveUpMs : startMs;
    const isLate = now + pause - this.#lastGood > patience;
    if (isLate || isFinal(error)) return this.#terminate(error);
    this.#message = `reconnecting: ${messageOf(error)}`;
    this.#onTrouble?.(this.#message);
    await this.#clock.sleep(pause, signal).catch(() => undefined);
  }

  /** Marks the stream as not live. Resets the number of failures after a steady time. */
  #endLive(now: number): 'steady' | 'short' {
    const liveMs = this.#liveSince === undefined ? 0 : now - this.#liveSince;
    this.#liveSince = undefined;
    if (liveMs < this.#policy.steadyMs) return 'short';
    this.#failures = 0;
    return 'steady';
  }

  #nextPause(): number {
    const { firstPauseMs, longestPauseMs } = this.#policy;
    const pause = Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
    this.#failures += 1;
    return pause;
  }

  #terminate(error: unknown): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.#liveSince = undefined;
    const failure =
      error instanceof ApiError ? error : targetFailed(this.#label, messageOf(error), error);
    // Kept without the stack and the cause, which refer to what the attempt used.
    this.#failure = new ApiError(failure.code, failure.message, { remedy: failure.remedy });
    this.#message = this.#failure.message;
    this.#onTrouble?.(this.#message);
    this.#onTrouble = undefined;
    this.#live?.reject(failure);
    this.#live = undefined;
  }
}

/** True for failures that a retry cannot fix: a forbidden target, or missing ffmpeg. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && ['invalid_request', 'unsupported'].includes(error.code);
}
