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

/** The process's own streams: the only place where the command line takes hold of them. */
export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    // The reader has gone (`vc … | head`): nothing is left to say, and nothing to say it to.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
}

/** Ends the process as a command whose streams may still have an open peer has to. */
export function exitProcess(code: number): never {
  process.exit(code);
}

/** Writes and resolves when the stream has taken it. */
export function write(stream: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => (error ? reject(error) : resolve()));
  });
}
