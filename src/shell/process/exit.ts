import type { ClientChannel } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { deferred } from '../../lib/async/deferred.js';
import type { Connection } from '../connection.js';

/**
 * A program that the command left running may keep writing to its output. The output counts as
 * read after this many milliseconds and round trips, unless sshd still holds output.
 */
const MOST_MS = 300;
const MOST_ROUNDS = 10;
/**
 * Bytes of a round trip that show that sshd holds more: it reads and sends so much of a channel at a
 * time. On a busy connection, that takes many round trips.
 */
const FULL_ROUND = 16 * 1024;
/** The most that sshd holds of a command that has ended: two windows of 2 MiB, and two pipes. */
const MOST_HELD = 2 * (2 * 1024 * 1024 + 128 * 1024);
/** Milliseconds without output until it counts as read. */
const QUIET_MS = 60;
/**
 * Round trips without output until it counts as read. sshd reads a program's output in one
 * iteration of its loop and sends it in the next, after replies, so two are necessary. The third
 * is for other servers.
 */
const QUIET_ROUNDS = 3;
/** Milliseconds that sshd has to close the channel by itself, which makes round trips superfluous. */
const CLOSING_MS = 2;

interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * Detects the end of a channel's command. sshd reports the exit at once, but closes the channel
 * only when no program holds the output any more, which may be never (`xterm &`). So after the
 * exit this makes round trips: sshd reads available output before it replies, so when no output
 * arrives between replies, all of it has been read.
 */
export class Exit {
  readonly #ended = deferred<ExitStatus>();
  readonly #stopListening: (() => void) | undefined;
  readonly #connection: Connection;
  readonly #channel: ClientChannel;
  #status: ExitStatus | undefined;
  /** Bytes of output since the last round trip. */
  #came = 0;
  /** The same since the exit. */
  #held = 0;
  #isOver = false;
  /** Waiting for slow readers before the next round trip. */
  #isAsleep = false;
  #exitedAt = 0;
  /** When sshd was last seen to hold output. */
  #heldAt = 0;
  #cameAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #rounds = 0;
  #quietRounds = 0;
  /** Paused readers: meanwhile the absence of output means nothing. */
  readonly #slow = new Set<object>();

  constructor(connection: Connection, channel: ClientChannel) {
    this.#connection = connection;
    this.#channel = channel;
    this.#stopListening = connection.onEnd((error) =>
      this.#reject(error ?? new ApiError('guest_failed', 'The connection was closed.')),
    );
    channel.on('exit', (code: number | null, signal?: string) => {
      this.#status = { code: code ?? null, signal: signal ?? null };
      this.#exitedAt = performance.now();
      this.#heldAt = this.#exitedAt;
      this.#came = 0;
      this.#timer = setTimeout(() => this.#drain(), CLOSING_MS);
    });
    channel.on('close', () => {
      // ssh2 waits only for the end of standard output.
      if (channel.stderr.readableEnded) this.#finish();
      else channel.stderr.once('end', () => this.#finish());
    });
  }

  /**
   * Resolves when the command has ended and its output has been read. Rejects when the connection
   * ends.
   */
  get ended(): Promise<ExitStatus> {
    return this.#ended.promise;
  }

  /** Call on each chunk of output. */
  touch({ length }: Buffer): void {
    this.#came += length;
    this.#cameAt = performance.now();
  }

  /** Call when a reader is slow; the output does not count as read until it resumes. */
  pause(reader: object): void {
    this.#slow.add(reader);
  }

  resume(reader: object): void {
    if (this.#slow.delete(reader) && this.#isAsleep) this.#drain();
  }

  /** Rejects for a command that did not end when it was killed. */
  abandon(error: Error): void {
    this.#reject(error);
    this.#channel.close();
  }

  #drain(): void {
    this.#isAsleep = this.#slow.size > 0;
    if (this.#isOver || this.#isAsleep) return;
    this.#rounds += 1;
    // Not when the reply is read: this process may not have run for a while since then.
    const askedAt = performance.now();
    this.#connection.roundTrip(() => {
      if (this.#isOver) return;
      this.#quietRounds = this.#came > 0 ? 0 : this.#quietRounds + 1;
      this.#held += this.#came;
      if (this.#came >= FULL_ROUND && this.#held <= MOST_HELD) {
        this.#heldAt = performance.now();
        this.#rounds = 0;
      }
      this.#came = 0;
      const silence = askedAt - Math.max(this.#cameAt, this.#exitedAt);
      const isLate = askedAt - this.#heldAt > MOST_MS && this.#rounds >= MOST_ROUNDS;
      if (
        this.#slow.size === 0 &&
        ((this.#quietRounds >= QUIET_ROUNDS && silence >= QUIET_MS) || isLate)
      ) {
        this.#leave();
      } else if (this.#quietRounds >= QUIET_ROUNDS) {
        const wait = Math.min(QUIET_MS, Math.max(1, QUIET_MS - silence));
        this.#timer = setTimeout(() => this.#drain(), wait);
      } else this.#drain();
    });
  }

  #leave(): void {
    this.#connection.linger(this.#channel);
    this.#finish();
  }

  #finish(): void {
    this.#stop();
    this.#ended.resolve(this.#status ?? { code: null, signal: null });
  }

  #reject(error: Error): void {
    this.#stop();
    this.#ended.reject(error);
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopListening?.();
  }
}
