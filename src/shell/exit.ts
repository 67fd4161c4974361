import type { ClientChannel } from 'ssh2';
import { ApiError } from '../contract/errors.js';
import type { Connection } from './connection.js';

/** Programs that a command left running may hold its output: it counts as read after this pause, */
const QUIET_MS = 60;
/** and after this time in any case. */
const MOST_MS = 300;

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * The end of a channel's command. sshd tells it at once, then closes the channel when nobody holds
 * the output any more; where a program was left running (`xterm &`) that may be never.
 */
export class Exit {
  /** Resolves when the command has ended and its output has been read. Rejects with the connection. */
  readonly ended: Promise<ExitStatus>;
  readonly #connection: Connection;
  readonly #channel: ClientChannel;
  #status: ExitStatus | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #latest: NodeJS.Timeout | undefined;
  /** Readers that have not taken what came: silence then means nothing. */
  readonly #slow = new Set<object>();
  #resolve: (status: ExitStatus) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(connection: Connection, channel: ClientChannel) {
    this.#connection = connection;
    this.#channel = channel;
    this.ended = new Promise((resolve, reject) => {
      let forget: () => void = () => undefined;
      const settle = () => {
        forget();
        clearTimeout(this.#quiet);
        clearTimeout(this.#latest);
      };
      this.#resolve = (status) => {
        settle();
        resolve(status);
      };
      this.#reject = (error) => {
        settle();
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
      this.#latest = setTimeout(() => this.#leave(), MOST_MS);
      this.touch();
    });
    channel.on('close', () => {
      // ssh2 has waited for the end of standard output alone.
      if (channel.stderr.readableEnded) this.#finish();
      else channel.stderr.once('end', () => this.#finish());
    });
  }

  /** Output came: there may be more. */
  touch(): void {
    if (this.#status === undefined || this.#slow.size > 0) return;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#leave(), QUIET_MS);
  }

  /** A reader is slow: the output is not read before it has gone on. */
  pause(reader: object): void {
    this.#slow.add(reader);
    clearTimeout(this.#quiet);
  }

  resume(reader: object): void {
    if (this.#slow.delete(reader)) this.touch();
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

  #leave(): void {
    if (this.#slow.size > 0) {
      this.#latest = setTimeout(() => this.#leave(), MOST_MS);
      return;
    }
    this.#connection.linger(this.#channel);
    this.#finish();
  }

  #finish(): void {
    this.#resolve(this.#status ?? { code: null, signal: null });
  }
}
