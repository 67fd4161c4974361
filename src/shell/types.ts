import type { Duplex, Readable, Writable } from 'node:stream';
import type { Files } from './files/types.js';
import type { Jobs } from './jobs/types.js';

export interface RunInput {
  /** A script. Never shown in a process list: it travels on standard input. */
  readonly command: string;
  /**
   * `system`: what the image says runs its commands, for example Windows' cmd, and else bash.
   * `bash`, the default: bash in any case, for scripts of our own.
   */
  readonly interpreter?: 'bash' | 'system';
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Start it as a job, detached from everything, and return its process id and job id. */
  readonly background: boolean;
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
  /** With `background`: the id under which {@link Shell.jobs} has it. */
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
}

export interface SpawnInput {
  /** Program and arguments; no shell interprets them. */
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

/** A process in the machine. Its streams have backpressure. */
export interface ShellProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its output has been read. */
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  resize(size: { columns: number; rows: number }): void;
  /** Signals the whole process group. */
  kill(signal: 'INT' | 'TERM' | 'HUP' | 'KILL' | 'QUIT'): Promise<void>;
}

/** Commands in a machine, over one SSH connection that is kept and shared. */
export interface Shell {
  readonly open: boolean;
  run(input: RunInput): Promise<RunResult>;
  python(input: { code: string; timeoutMs: number; signal?: AbortSignal }): Promise<PythonResult>;
  spawn(input: SpawnInput, signal?: AbortSignal): Promise<ShellProcess>;
  readonly files: Files;
  readonly jobs: Jobs;
  /** Connects to a port of the machine's own loopback; `guest_failed` when nothing listens. */
  connect(port: number): Promise<Duplex>;
  /** Called once when the connection ends, with the error if it was not {@link Shell.close}. */
  onClose(listener: (error?: Error) => void): void;
  /** Ends the connection; idempotent. */
  close(): void;
}
