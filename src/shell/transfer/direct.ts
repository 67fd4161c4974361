import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import { onAbort } from '../../lib/async/abort.js';
import { within } from '../../lib/async/deadline.js';
import { deferred } from '../../lib/async/deferred.js';
import type { Connection } from '../connection.js';
import { sftpFailure } from '../files/errors.js';
import { quote } from '../process/quote.js';

/** What the program does with a file that it opens. */
interface DirectRequest {
  readonly path: string;
  readonly way: 'read' | 'write';
  /** The first byte. */
  readonly start: number;
  /** The byte after the last one; for reading. */
  readonly end?: number;
  /** Path of the socket to listen on. */
  readonly socket: string;
}

/**
 * Reads a request as JSON, opens the file, listens on the socket, prints the file's size and time,
 * takes one connection, and prints `done` after the last byte. It runs as the computer's user, so
 * that the guest's own permissions, quotas and limits hold.
 */
const PROGRAM = `# vc: file transfer
import json, os, socket, sys
q = json.loads(sys.stdin.buffer.readline())
reading = q["way"] == "read"
f = os.open(q["path"].encode(), os.O_RDONLY | os.O_NONBLOCK if reading else os.O_WRONLY)
name = q["socket"].encode()
s = socket.socket(socket.AF_UNIX)
# The directory is the computer user's own; the service may be another user of the host.
os.umask(0)
s.bind(name)
try:
    s.listen(1)
    s.settimeout(10)
    t = os.fstat(f)
    print(t.st_size, int(t.st_mtime), flush=True)
    c = s.accept()[0]
finally:
    os.unlink(name)
c.settimeout(None)
at = q["start"]
if reading:
    while at < q["end"]:
        n = os.sendfile(c.fileno(), f, at, min(q["end"] - at, 1 << 20))
        if n == 0:
            break
        at += n
else:
    os.lseek(f, at, os.SEEK_SET)
    m = memoryview(bytearray(1 << 20))
    while n := c.recv_into(m):
        d = m[:n]
        while d:
            d = d[os.write(f, d):]
os.close(f)
print("done", flush=True)
c.close()
`;

/** The command that starts the program: isolated from the user's modules, which could be slow. */
const START = `exec python3 -IS -c ${quote(PROGRAM)}`;

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
