import type { ClientChannel } from 'ssh2';
import { ApiError } from '../contract/errors.js';
import type { Connection } from './connection.js';

/**
 * Programs that a command left running may hold its output and go on writing: then it counts as read
 * after so long, and so many round trips, which fetch all that the command itself can have left.
 */
const MOST_MS = 300;
const MOST_ROUNDS = 10;
/** Silence counts only when it has lasted so long, as well. */
const QUIET_MS = 60;
/**
 * sshd reads a program's output in one turn of its loop and sends it in the next, after the answers to
 * questions: so the second answer without output between is the one that counts. The third is
 * for servers of other habits.
 */
const QUIET_ROUNDS = 3;

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * The end of a channel's command. sshd tells it at once, then closes the channel when nobody holds
 * the output any more; where a program was left running (`xterm &`) that may be never. So sshd is
 * asked something else, a few times: it reads what is there before it answers, however slow the guest
 * is, and when nothing came between the answers, the output has been read.
 */
export class Exit {
  /** Resolves when the command has ended and its output has been read. Rejects with the connection. */
  readonly ended: Promise<ExitStatus>;
  readonly #connection: Connection;
  readonly #channel: ClientChannel;
  #status: ExitStatus | undefined;
  /** Output came since sshd was last asked. */
  #came = false;
  #isOver = false;
  /** Waits for slow readers before it asks again. */
  #isAsleep = false;
  #exitedAt = 0;
  #cameAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #rounds = 0;
  #quietRounds = 0;
  /** Readers that have not taken what came: silence then means nothing. */
  readonly #slow = new Set<object>();
  #resolve: (status: ExitStatus) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(connection: Connection, channel: ClientChannel) {
    this.#connection = connection;
    this.#channel = channel;
    this.ended = new Promise((resolve, reject) => {
      let forget: () => void = () => undefined;
      this.#resolve = (status) => {
        forget();
        clearTimeout(this.#timer);
        this.#isOver = true;
        resolve(status);
      };
      this.#reject = (error) => {
        forget();
        clearTimeout(this.#timer);
        this.#isOver = true;
        reject(error);
      };
      forget = connection.onEnd((error) => {
        this.#reject(error ?? new ApiError('guest_failed', 'The connection was closed meanwhile.'));
      });
    });
    // Whoever waits for it hears of it; nobody has to.
    this.ended.catch(() => undefined);
    channel.on('exit', (code: number | null, signal?: string) => {
      this.#status = { code: code ?? null, signal: signal ?? null };
      this.#exitedAt = performance.now();
      this.#drain();
    });
    channel.on('close', () => {
      // ssh2 has waited for the end of standard output alone.
      if (channel.stderr.readableEnded) this.#finish();
      else channel.stderr.once('end', () => this.#finish());
    });
  }

  /** Output came: there may be more. */
  touch(): void {
    this.#came = true;
    this.#cameAt = performance.now();
  }

  /** A reader is slow: the output is not read before it has gone on. */
  pause(reader: object): void {
    this.#slow.add(reader);
  }

  resume(reader: object): void {
    if (this.#slow.delete(reader) && this.#isAsleep) this.#drain();
  }

  /** The command did not end though it was told to: nobody waits for it any longer. */
  abandon(error: Error): void {
    this.#reject(error);
    this.#channel.close();
  }

  /** True if the command ends within `ms` milliseconds. Rejects with the connection. */
  within(ms: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.ended.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
    });
  }

  #drain(): void {
    this.#isAsleep = this.#slow.size > 0;
    if (this.#isOver || this.#isAsleep) return;
    this.#came = false;
    this.#rounds += 1;
    this.#connection.roundTrip(() => {
      if (this.#isOver) return;
      this.#quietRounds = this.#came ? 0 : this.#quietRounds + 1;
      const silence = performance.now() - Math.max(this.#cameAt, this.#exitedAt);
      const isLate = performance.now() - this.#exitedAt > MOST_MS && this.#rounds >= MOST_ROUNDS;
      if (
        this.#slow.size === 0 &&
        ((this.#quietRounds >= QUIET_ROUNDS && silence >= QUIET_MS) || isLate)
      ) {
        this.#leave();
      } else if (this.#quietRounds >= QUIET_ROUNDS) {
        this.#timer = setTimeout(() => this.#drain(), Math.max(1, QUIET_MS - silence));
      } else this.#drain();
    });
  }

  #leave(): void {
    this.#connection.linger(this.#channel);
    this.#finish();
  }

  #finish(): void {
    this.#resolve(this.#status ?? { code: null, signal: null });
  }
}
