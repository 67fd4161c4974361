import { z } from 'zod';
import { integer } from './primitives.js';

/** A command that was started with `background`. */
export const Job = z.object({
  id: z.string(),
  /** Process id in the computer, which is also that of its process group. */
  pid: z.number().int(),
  status: z.enum(['running', 'exited']),
  /**
   * As in a shell: 128 plus the signal's number when a signal ended it. Null while it runs, and if
   * the computer stopped before it ended.
   */
  exit_code: z.number().int().nullable(),
  /** The beginning of the script. */
  command: z.string(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  /** Bytes of output that are kept; the first 16 MiB are. */
  output_bytes: z.number().int(),
  /** True when it printed more. */
  truncated: z.boolean(),
});

export const Jobs = z.object({ jobs: z.array(Job) });

const queryInteger = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value),
    integer(min, max),
  );

export const JobQuery = z.object({
  /** Byte of the output to begin at. */
  offset: queryInteger(0, 1_000_000_000).default(0),
  /** Bytes of output to answer at most. */
  limit: queryInteger(16, 1024 * 1024).default(65_536),
});

export const JobWithOutput = Job.extend({
  output: z.string(),
  /** The offset at which to continue reading. */
  next_offset: z.number().int(),
});

export type Job = z.infer<typeof Job>;
