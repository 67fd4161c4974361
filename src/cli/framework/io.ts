import type { Readable, Writable } from 'node:stream';

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

/**
 * The process's own streams. Each is opened on first use, because opening one takes as long as half
 * a command.
 */
export function processIo(): Io {
  const guarded = new Set<Writable>();
  const output = (stream: Output): Output => {
    if (guarded.has(stream)) return stream;
    guarded.add(stream);
    // The reader is gone, as in `vc … | head`.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
    return stream;
  };
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return output(process.stdout);
    },
    get stderr() {
      return output(process.stderr);
    },
  };
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
