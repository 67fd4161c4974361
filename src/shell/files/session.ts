import type { SFTPWrapper, Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';

/** How long the guest may take to answer one request that moves no data. */
const ANSWER_MS = 15_000;

type Done<T> = (error: Error | null | undefined, value: T) => void;

/** A session of the file transfer protocol whose requests are promises. */
export class FileSession {
  readonly sftp: SFTPWrapper;
  /** Requests that wait for their answer. */
  readonly #waiting = new Set<(error: Error) => void>();
  #ended: Error | undefined;

  constructor(sftp: SFTPWrapper, connection: Connection) {
    this.sftp = sftp;
    const lost = (cause?: Error) =>
      this.#fail(
        cause instanceof ApiError
          ? cause
          : new ApiError('guest_failed', 'The computer ended the transfer.', { cause }),
      );
    const forget = connection.onEnd(lost);
    sftp.on('error', lost);
    sftp.on('close', () => {
      forget();
      lost();
    });
  }

  /** One request; `guest_timeout` when its answer takes too long. */
  ask<T>(request: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const message = 'The computer did not answer about its files in time.';
      const late = () => reject(new ApiError('guest_timeout', message));
      const timer = setTimeout(late, ANSWER_MS);
      this.data<T>(request)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  /** One request without a time-out: whoever moves data watches its pace. */
  data<T>(request: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      this.#waiting.add(reject);
      request((error, value) => {
        this.#waiting.delete(reject);
        if (error) reject(error);
        else resolve(value);
      });
    });
  }

  stat(path: string): Promise<Stats> {
    return this.ask((done) => this.sftp.stat(path, done));
  }

  realpath(path: string): Promise<string> {
    return this.ask((done) => this.sftp.realpath(path, done));
  }

  /** Ends the session and everything that waits for it. */
  end(): void {
    this.sftp.end();
    this.#fail(new ApiError('guest_failed', 'The transfer was ended.'));
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** Runs `work` with a session of its own, which an abort ends. */
export async function withSession<T>(
  connection: Connection,
  signal: AbortSignal | undefined,
  work: (session: FileSession) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const session = new FileSession(await connection.sftp(), connection);
  const onAbort = () => session.end();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    return await work(session);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    session.end();
  }
}
