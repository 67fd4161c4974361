/** How a command ended, with the first 16 MiB of each output. */
export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** For example `SIGKILL`. */
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended at its `timeout`. */
  readonly timedOut: boolean;
  /** It printed more than is kept. */
  readonly truncated: boolean;
}
