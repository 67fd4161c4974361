import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { within } from '../../lib/async/deadline.js';
import { deferred } from '../../lib/async/deferred.js';
import type { Connection } from '../connection.js';
import { sftpFailure } from '../files/errors.js';
import { type DirectRequest, START } from './program.js';

/** Transfers of fewer bytes take longer to begin than over SFTP. */
export const DIRECT_BYTES = 8 * 1024 * 1024;

/** Time for the program to begin, in milliseconds. */
const BEGIN_MS = 5_000;
/** Time for the program to say how it ended, after its connection has ended, in milliseconds. */
const LAST_WORD_MS = 3_000;
/** Most characters that the program prints. */
const MOST_PRINTED = 200;

/** A connection to a program in the guest that reads or writes one file. */
export interface DirectTransfer {
  readonly stream: Duplex;
  /** Of the file that the program has opened; `mtime` in seconds. */
  readonly size: number;
  readonly mtime: number;
  /** Resolves when the program has read or written all; rejects if it failed. */
  readonly done: Promise<void>;
  /** Ends the program unless it has ended. */
  close(): void;
}

/**
 * Opens a file in the guest for bytes that bypass SSH. Undefined if that is not possible.
 * If the engine has no way, later calls do not try again.
 */
export async function openDirect(
  connection: Connection,
  request: Omit<DirectRequest, 'socket'>,
  signal?: AbortSignal,
): Promise<DirectTransfer | undefined> {
  const { direct } = connection;
  if (direct === undefined) return undefined;
  const name = `file-${randomBytes(8).toString('hex')}.sock`;
  let program: Program | undefined;
  try {
    program = new Program(connection, await connection.exec(START));
    const begun = program.begin({ ...request, socket: `${direct.socketDirectory}/${name}` });
    const onTimeout = () => new ApiError('guest_timeout', 'The program did not begin in time.');
    const file = await within(begun, { ms: BEGIN_MS, onTimeout, signal });
    const stream = await direct.connect(name, signal).catch(() => undefined);
    if (stream !== undefined) return program.transfer(stream, file, signal);
    connection.direct = undefined;
  } catch {
    // For example an image without Python: SFTP does it, or reports why not.
  }
  program?.close();
  signal?.throwIfAborted();
  return undefined;
}

/** The program while it runs. The guest decides what it prints. */
class Program {
  readonly #connection: Connection;
  readonly #channel: ClientChannel;
  readonly #first = deferred<string>();
  readonly #done = deferred<void>();
  #printed = '';

  constructor(connection: Connection, channel: ClientChannel) {
    this.#connection = connection;
    this.#channel = channel;
    const forget = connection.onEnd((error) => this.#end(error ?? ended()));
    channel.stderr.resume();
    channel.on('data', (chunk: Buffer) => this.#read(chunk));
    // An exception of the program, such as a full disk.
    channel.on('exit', (code: number | null) => {
      if (code !== null && code !== 0) this.#end(sftpFailure());
    });
    channel.on('close', () => {
      forget();
      this.#end(ended());
    });
  }

  async begin(request: DirectRequest): Promise<{ size: number; mtime: number }> {
    this.#channel.end(`${JSON.stringify(request)}\n`);
    const [size, mtime] = (await this.#first.promise).split(' ').map(Number);
    if (!Number.isSafeInteger(size) || !Number.isSafeInteger(mtime)) throw ended();
    return { size: Number(size), mtime: Number(mtime) };
  }

  transfer(
    stream: Duplex,
    { size, mtime }: { size: number; mtime: number },
    signal: AbortSignal | undefined,
  ): DirectTransfer {
    const close = () => {
      stream.destroy();
      this.close();
    };
    const forget = this.#connection.onEnd(close);
    const dispose = onAbort(signal, close);
    stream.on('error', () => undefined);
    stream.on('close', () => {
      forget();
      dispose();
      // The program says first how it ended.
      setTimeout(() => this.#end(ended()), LAST_WORD_MS).unref();
    });
    return { stream, size, mtime, done: this.#done.promise, close };
  }

  close(): void {
    this.#channel.close();
  }

  #read(chunk: Buffer): void {
    if (this.#printed.length > MOST_PRINTED) return;
    this.#printed += chunk.toString('latin1', 0, MOST_PRINTED);
    const [first = '', second, ...more] = this.#printed.split('\n');
    if (second !== undefined) this.#first.resolve(first);
    if (second === 'done' && more.length > 0) this.#done.resolve();
  }

  #end(error: Error): void {
    this.#first.reject(error);
    this.#done.reject(error);
  }
}

function ended(): ApiError {
  return new ApiError('guest_failed', 'The computer ended the transfer.');
}
