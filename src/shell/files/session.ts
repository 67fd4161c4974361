import type { SFTPWrapper, Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { within } from '../../lib/async/deadline.js';
import type { Connection } from '../connection.js';
import { violated } from '../connection-errors.js';

/** Milliseconds that the guest has to answer a request that transfers no data. */
const ANSWER_MS = 15_000;

/** Requests that wait to be sent: so few are not counted in bytes, each has at most 255 KiB. */
const FEW_UNSENT = 8;
const MOST_UNSENT = 256;
const MOST_UNSENT_BYTES = 2 * 2 ** 20;

type Done<T> = (error: Error | null | undefined, value: T) => void;

/** An SFTP session with promises. */
export class FileSession {
  readonly sftp: SFTPWrapper;
  /** Rejects the pending requests. */
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

  /** Sends a request; rejects with `guest_timeout` when the answer takes too long. */
  ask<T>(request: (done: Done<T>) => void): Promise<T> {
    const message = 'The computer did not answer a file request in time.';
    const onTimeout = () => new ApiError('guest_timeout', message);
    return within(this.data<T>(request), { ms: ANSWER_MS, onTimeout });
  }

  /** Sends a request without a result. */
  run(request: (done: (error?: Error | null) => void) => void): Promise<void> {
    return this.ask<void>((done) => request((error) => done(error, undefined)));
  }

  /** Sends a request without a time-out: transfers of data have a stall detector. */
  data<T>(request: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      if (this.#isFull()) {
        const error = violated('it answered file requests that it had not read');
        this.#fail(error);
        return reject(error);
      }
      this.#waiting.add(reject);
      request((error, value) => {
        this.#waiting.delete(reject);
        if (error) reject(error);
        else resolve(value);
      });
    });
  }

  /**
   * Whether ssh2 keeps more than a transfer can have unsent. A guest can acknowledge requests that it
   * never let the service send, so that the next ones follow.
   */
  #isFull(): boolean {
    const { _buffer: unsent = [] } = this.sftp as unknown as { _buffer?: readonly Buffer[] };
    if (unsent.length <= FEW_UNSENT) return false;
    const bytes = unsent.reduce((sum, { length }) => sum + length, 0);
    return unsent.length > MOST_UNSENT || bytes > MOST_UNSENT_BYTES;
  }

  stat(path: string): Promise<Stats> {
    return this.ask((done) => this.sftp.stat(path, done));
  }

  realpath(path: string): Promise<string> {
    return this.ask((done) => this.sftp.realpath(path, done));
  }

  /** Ends the session and rejects its pending requests. */
  end(): void {
    this.#fail(new ApiError('guest_failed', 'The transfer was ended.'));
    this.sftp.end();
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** Runs `work` with a new session, which an abort ends. */
export async function withSession<T>(
  connection: Connection,
  signal: AbortSignal | undefined,
  work: (session: FileSession) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const session = new FileSession(await connection.sftp(), connection);
  const dispose = onAbort(signal, () => session.end());
  try {
    signal?.throwIfAborted();
    return await work(session);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    dispose();
    session.end();
  }
}
