import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../contract/errors.js';
import { messageOf, targetFailed } from './errors.js';

/** Streams once; see {@link publish}. Resolves when the screen has another size: it is to be begun anew. */
export type Attempt = (signal: AbortSignal, onLive: (pid: number) => void) => Promise<void>;

export interface BroadcastStatus {
  readonly status: 'streaming' | 'terminated';
  readonly startedAt: Date;
  /** Of the encoder that runs or ran last. */
  readonly pid: number | undefined;
  /** Why it ended, or what is being mended. */
  readonly message: string | undefined;
}

/** How failures are answered; all in milliseconds. */
export interface Policy {
  /** A stream that is not live after so long fails to start. */
  readonly startMs: number;
  /** One that was, and could not be brought back for so long, is given up. */
  readonly giveUpMs: number;
  /** Live for so long, it counts as brought back. */
  readonly steadyMs: number;
  /** The pause before the next attempt: the first, doubled each time up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const POLICY: Policy = {
  startMs: 8_000,
  giveUpMs: 60_000,
  steadyMs: 10_000,
  firstPauseMs: 250,
  longestPauseMs: 8_000,
};

/** Time as a test may make it. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const steadyClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

export interface BroadcastOptions {
  readonly attempt: Attempt;
  /** For messages: names the target and nothing secret. */
  readonly label: string;
  readonly policy?: Policy;
  readonly clock?: Clock;
  /** Told of each failure that is mended, and of the end. */
  readonly onTrouble?: (message: string) => void;
}

/** Keeps a stream going: begins it again when it breaks, less and less often, until it gives up. */
export class Broadcast {
  readonly #options: BroadcastOptions;
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

  constructor(options: BroadcastOptions) {
    this.#options = options;
    this.#policy = options.policy ?? POLICY;
    this.#clock = options.clock ?? steadyClock;
    this.#lastGood = this.#clock.now();
    this.#running = Promise.resolve().then(() => this.#run());
  }

  /** Resolves when the first frame is on its way; rejects with the reason when it never was. */
  live(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#wasLive) return resolve();
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#live = { resolve, reject };
    });
  }

  /** Resolves when nothing of it runs any more, whatever ended it. */
  get over(): Promise<void> {
    return this.#running;
  }

  get status(): BroadcastStatus {
    const status = this.#terminated ? 'terminated' : 'streaming';
    return { status, startedAt: this.#startedAt, pid: this.#pid, message: this.#message };
  }

  /** Ends it for the reason given; resolves when nothing of it runs any more. */
  async end(reason: string): Promise<void> {
    this.#terminate(new ApiError('conflict', reason));
    this.#ending.abort(new ApiError('conflict', reason));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending;
    while (!this.#terminated) {
      try {
        await this.#options.attempt(signal, (pid) => this.#onLive(pid));
        await this.#renew(signal);
      } catch (error) {
        if (signal.aborted) return;
        await this.#mend(error, signal);
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

  /** The screen has another size. One that changes all the time is followed less and less often. */
  async #renew(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    // The target took the stream for as long as it was there.
    if (this.#liveSince !== undefined) this.#lastGood = now;
    if (this.#endLive(now) === 'steady') return;
    await this.#clock.sleep(this.#nextPause(), signal).catch(() => undefined);
  }

  async #mend(error: unknown, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const { startMs, giveUpMs } = this.#policy;
    if (this.#endLive(now) === 'steady') this.#lastGood = now;
    const pause = this.#nextPause();
    const patience = this.#wasLive ? giveUpMs : startMs;
    const isLate = now + pause - this.#lastGood > patience;
    if (isLate || isFinal(error)) return this.#terminate(error);
    this.#message = `reconnecting: ${messageOf(error)}`;
    this.#options.onTrouble?.(this.#message);
    await this.#clock.sleep(pause, signal).catch(() => undefined);
  }

  /** Notes that it is not live now. After a steady time failures are counted from the start. */
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
    const known = error instanceof ApiError;
    const shown = known ? error : targetFailed(this.#options.label, messageOf(error), error);
    this.#failure = shown;
    this.#message = shown.message;
    this.#options.onTrouble?.(shown.message);
    this.#live?.reject(shown);
  }
}

/** Trying again does not help: the target is not allowed, or ffmpeg is not there. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && ['invalid_request', 'unsupported'].includes(error.code);
}
