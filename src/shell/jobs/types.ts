/** A running or ended background command of a machine. */
export interface JobState {
  readonly id: string;
  /** Process id, which is also that of its process group. */
  readonly pid: number;
  readonly status: 'running' | 'exited';
  /**
   * As in a shell: 128 plus the signal's number when a signal ended it. Null while it runs, and if
   * the machine stopped before it ended.
   */
  readonly exitCode: number | null;
  /** The beginning of its script. */
  readonly command: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Bytes of output kept. */
  readonly outputBytes: number;
  /** True when output was dropped. */
  readonly truncated: boolean;
}

interface JobOutput extends JobState {
  /** From the requested offset; never ends inside a character. */
  readonly output: string;
  /** The offset at which to continue reading. */
  readonly nextOffset: number;
}

/** Background commands of a machine. They outlive the connection; `not_found` for an unknown id. */
export interface Jobs {
  list(signal?: AbortSignal): Promise<JobState[]>;
  get(
    id: string,
    range: { offset: number; limit: number },
    signal?: AbortSignal,
  ): Promise<JobOutput>;
  /**
   * Resolves when one of the jobs has ended or is gone, or after `withinMs`, to those that are still
   * there, ended or not.
   */
  settled(ids: readonly string[], withinMs: number, signal?: AbortSignal): Promise<JobState[]>;
  /** Terminates the job's process group and kills it after two seconds. No effect on an ended job. */
  end(id: string, signal?: AbortSignal): Promise<JobState>;
}
