import type { Duplex, Readable, Writable } from 'node:stream';
import type { Files } from './files/types.js';
import type { Jobs } from './jobs/types.js';

export interface RunInput {
  /** A script. Sent on standard input, so that no process list shows it. */
  readonly command: string;
  /**
   * `system`: the image's own interpreter, for example Windows' cmd, or bash if it has none. `bash`:
   * always bash. Both get the computer's variables. Undefined: bash without them, for internal
   * scripts.
   */
  readonly interpreter?: 'bash' | 'system';
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Start it as a detached job, and return its process id and job id. */
  readonly background: boolean;
  /** With `background`: the id of the job; by default a new one. */
  readonly jobId?: string;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal or the time-out ended it, or with `background`. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** True when output beyond the cap was dropped. */
  readonly truncated: boolean;
  readonly pid?: number;
  /** With `background`: its id in {@link Shell.jobs}. */
  readonly jobId?: string;
}

export interface PythonResult {
  /** Standard output, then standard error, without the traceback. */
  readonly output: string;
  /** The exception as Python prints it, with its traceback. */
  readonly error?: string;
  /** The exception's class, for example `ZeroDivisionError`. */
  readonly errorType?: string;
  readonly timedOut: boolean;
  /** A stream had more than 1 MiB. */
  readonly truncated: boolean;
}

/**
 * A program with arguments that no shell interprets; a script for the image's own interpreter, as
 * in {@link RunInput}; or Python code. Scripts and code are in no process list.
 */
export type Program =
  | { readonly argv: readonly string[] }
  | { readonly command: string }
  | { readonly code: string };

export type SpawnInput = Program & {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** For a program with arguments only. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
};

/** How a process ended; `code` is null when a signal ended it. */
export interface ProcessEnd extends Pick<PythonResult, 'error' | 'errorType'> {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process in the machine. Its streams apply backpressure. */
export interface ShellProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its output has been read. */
  readonly exit: Promise<ProcessEnd>;
  resize(size: { columns: number; rows: number }): void;
  /** Ends the process group, which may outlive the process. */
  end(): Promise<void>;
  /** Signals the whole process group. */
  kill(signal: 'INT' | 'TERM' | 'HUP' | 'KILL' | 'QUIT'): Promise<void>;
}

/** A way to programs in the guest that is shorter than SSH. */
export interface DirectWay {
  /** Where a program has to listen: a directory of the guest. */
  readonly socketDirectory: string;
  /** Connects to the unix socket `name` there; undefined where that is not possible. */
  connect(name: string, signal?: AbortSignal): Promise<Duplex | undefined>;
}

/** Commands and files of a machine, over one shared SSH connection. */
export interface Shell {
  readonly open: boolean;
  /** True while programs that commands left running hold their output, which ends with the connection. */
  readonly holding: boolean;
  run(input: RunInput): Promise<RunResult>;
  python(
    input: { code: string; timeoutMs: number } & Pick<RunInput, 'signal'>,
  ): Promise<PythonResult>;
  spawn(input: SpawnInput, signal?: AbortSignal): Promise<ShellProcess>;
  readonly files: Files;
  readonly jobs: Jobs;
  /** Connects to a port on the machine's loopback; `target_failed` when nothing listens. */
  connect(port: number): Promise<Duplex>;
  /** From now on the connection ends when the guest gives no sign of life for a minute. Idempotent. */
  keepAlive(): void;
  /** Calls `listener` once when the connection ends, with the error unless {@link Shell.close} did. */
  onClose(listener: (error?: Error) => void): void;
  /** Ends the connection as soon as nothing holds it; idempotent. */
  close(): void;
  /** Ends the connection at once; idempotent. */
  destroy(): void;
}
