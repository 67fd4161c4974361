import { fstatSync, writeSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { ExitCode } from '../errors/exit-codes.js';

export interface Output extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Input extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
}

/** The three standard streams. Data goes to `stdout`, everything else to `stderr`. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The opened outputs of this process, by file descriptor. */
const opened = new Map<number, Output>();
/** Why an output can no longer be written to. */
const failures = new WeakMap<Writable, Error>();

/**
 * The process's own streams. Each is opened on first use, because opening one takes as long as half
 * a command.
 */
export function processIo(): Io {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return openOutput(1);
    },
    get stderr() {
      return openOutput(2);
    },
  };
}

function openOutput(fd: 1 | 2): Output {
  const found = opened.get(fd);
  if (found !== undefined) return found;
  const stream = takesAll(fd)
    ? new FileOutput(fd)
    : ((fd === 1 ? process.stdout : process.stderr) as Output);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // As in `vc … | head`.
    if (error.code === 'EPIPE') process.exit(ExitCode.readerGone);
    failures.set(stream, error);
  });
  if (opened.size === 0) process.on('exit', reportLoss);
  opened.set(fd, stream);
  return stream;
}

/** False for pipes, sockets and terminals, which can make their writer wait. */
function takesAll(fd: number): boolean {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) return false;
  return !stats.isCharacterDevice() || !process.getBuiltinModule('node:tty').isatty(fd);
}

/**
 * A file or device as output. Node.js ignores that a nearly full disk takes only a part of a write, and
 * drops what is written to a block device.
 */
class FileOutput extends Writable {
  readonly #fd: number;

  constructor(fd: number) {
    super({ decodeStrings: true });
    this.#fd = fd;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    try {
      writeAll(this.#fd, chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** The last check: a process that has not written all of its output does not end with success. */
function reportLoss(code: number): void {
  if (code !== 0) return;
  for (const [fd, stream] of opened) {
    if (stream.writableLength === 0 && !failures.has(stream)) continue;
    process.exitCode = 1;
    const name = fd === 1 ? 'standard output' : 'standard error';
    try {
      writeSync(2, `error: ${name} is incomplete: ${stream.writableLength} bytes are missing\n`);
    } catch {
      // The exit code tells.
    }
  }
}

/** Ends the process, even if a stream still has an open peer. */
export function exitProcess(code: number): never {
  process.exit(code);
}

/** Resolves when the stream has accepted the data. */
export function write(stream: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Resolves when everything written to the stream has reached its reader's pipe or file: what still
 * waits in this process is lost at its end. Rejects if a write has failed.
 */
export async function flush(stream: Writable): Promise<void> {
  if (stream.writableLength > 0) await write(stream, '');
  const failure = failureOf(stream);
  if (failure !== undefined) throw failure;
}

/** Why the stream can no longer be written to. */
export function failureOf(stream: Writable): Error | undefined {
  return failures.get(stream) ?? stream.errored ?? undefined;
}

/** Prints a text on stdout without opening a stream unless the reader makes this process wait. */
export async function printAtOnce(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch {
    // The stream waits until a full pipe is read, and reports other errors.
    await write(openOutput(1), bytes.subarray(at));
  }
}
