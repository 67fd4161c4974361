/** A command that runs, or ran, in the background of a machine. */
export interface JobState {
  readonly id: string;
  /** Process id, which is also that of its process group. */
  readonly pid: number;
  readonly status: 'running' | 'exited';
  /**
   * As a shell has it: 128 and the signal's number when one ended it. Null while it runs, and when
   * the machine stopped before it ended.
   */
  readonly exitCode: number | null;
  /** The beginning of its script. */
  readonly command: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Bytes of output that are kept. */
  readonly outputBytes: number;
  /** True when it printed more than is kept. */
  readonly truncated: boolean;
}

export interface JobOutput extends JobState {
  /** From the offset that was asked for; characters are never cut in two. */
  readonly output: string;
  /** Where to go on reading. */
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
  /** Ends its process group, by force after two seconds. A job that has ended stays as it is. */
  end(id: string, signal?: AbortSignal): Promise<JobState>;
}
