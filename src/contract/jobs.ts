import { z } from 'zod';
import { integer, Timestamp } from './primitives.js';

/** A command that was started with `background`. */
export const Job = z
  .object({
    id: z.string().meta({ description: 'Id of the job.', examples: ['job_0123456789abcdefg'] }),
    pid: z
      .number()
      .int()
      .meta({
        description: 'Process id in the computer, also that of the process group.',
        examples: [1234],
      }),
    status: z.enum(['running', 'exited']).describe('Whether the command has ended.'),
    exit_code: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          "128 plus the signal's number if a signal ended the command. Null while it runs, and if the computer stopped first.",
        examples: [0],
      }),
    command: z
      .string()
      .meta({ description: 'The beginning of the script.', examples: ['npm test'] }),
    started_at: Timestamp.describe('When the command was started.'),
    ended_at: Timestamp.nullable().describe('When it ended; null while it runs.'),
    output_bytes: z
      .number()
      .int()
      .meta({
        description: 'Bytes of output that are kept, at most 16 MiB.',
        examples: [2048],
      }),
    truncated: z.boolean().describe('True if there was more output than is kept.'),
  })
  .meta({ id: 'Job', description: 'A command that was started with `background`.' });

export const Jobs = z
  .object({ jobs: z.array(Job).describe('The last 100 jobs.') })
  .meta({ id: 'JobList', description: 'Jobs of a computer.' });

const queryInteger = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value),
    integer(min, max),
  );

export const JobQuery = z.object({
  offset: queryInteger(0, 1_000_000_000).default(0).describe('Byte of the output to begin at.'),
  limit: queryInteger(16, 1024 * 1024)
    .default(65_536)
    .describe('Bytes of output to answer at most. Characters are never split.'),
});

export const JobWithOutput = Job.extend({
  output: z.string().meta({
    description: 'Standard output and standard error from `offset` on.',
    examples: ['ok\n'],
  }),
  next_offset: z
    .number()
    .int()
    .meta({ description: 'The `offset` at which to continue reading.', examples: [3] }),
}).meta({ id: 'JobWithOutput', description: 'A job with a part of its output.' });

export type Job = z.infer<typeof Job>;
