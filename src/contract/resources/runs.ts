import { z } from 'zod';
import { MAX_RUN_TASKS, RUN_NAME, TASK_NAME } from '../constants.js';
import { Timestamp, text } from '../primitives.js';

const RunName = z
  .string({ error: 'must be a string' })
  .regex(RUN_NAME, 'must be 1 to 63 letters, digits, ".", "_" or "-"')
  .meta({ description: 'Name of the run.', examples: ['office'] });
const TaskName = z
  .string({ error: 'must be a string' })
  .regex(TASK_NAME, 'must be 1 to 48 letters, digits, "_" or "-"')
  .meta({ description: 'Name of the task.', examples: ['write-note'] });
const Status = z
  .enum(['waiting', 'running', 'passed', 'failed', 'error'], {
    error: 'must be waiting, running, passed, failed or error',
  })
  .describe('`failed` if its check does not hold, `error` if that could not be asked.');

/** Letters of a picture in base64: 64 KiB. */
const MAX_PICTURE = 87_384;
const ComputerId = z.string().meta({ examples: ['cmp_2b6h9v3n5x8z1c4d7g0k'] });

export const CreateRun = z
  .object({
    name: RunName,
    tasks: z
      .array(TaskName, { error: 'must be a list of names' })
      .min(1, 'must have at least one name')
      .max(MAX_RUN_TASKS, { error: `must have at most ${MAX_RUN_TASKS} names`, abort: true })
      .refine((names) => new Set(names).size === names.length, 'must not have a name twice')
      .describe('Names of the tasks, in their order.'),
  })
  .meta({ id: 'CreateRun', description: 'A run to show.' });

export const UpdateRunTask = z
  .object({
    status: Status,
    message: text(2_000)
      .default('')
      .meta({ description: 'Why it has not passed.', examples: ['check: Not met within 10 s.'] }),
    seconds: z
      .number({ error: 'must be a number' })
      .min(0, 'must not be negative')
      .nullable()
      .default(null)
      .meta({ description: 'How long it took; null before it has ended.', examples: [12.5] }),
    computer_id: ComputerId.regex(/^cmp_[0-9a-z]{20}$/, 'must be the id of a computer')
      .nullable()
      .default(null)
      .describe('Id of its computer.'),
    picture: z
      .base64('must be base64')
      .max(MAX_PICTURE, { error: 'must be at most 64 KiB', abort: true })
      .optional()
      .meta({ description: 'The screen at its end, as JPEG in base64.', examples: ['/9j/4AAQ'] }),
  })
  .meta({ id: 'UpdateRunTask', description: 'The state of a task.' });

const RunTask = z
  .object({
    name: TaskName,
    status: Status,
    message: z.string().describe('Why it has not passed; empty if it has.'),
    seconds: z
      .number()
      .nullable()
      .meta({ description: 'How long it took; null before it has ended.', examples: [12.5] }),
    computer_id: ComputerId.nullable().describe('Id of its computer while that exists.'),
    has_picture: z.boolean().describe('Whether there is a picture of the screen at its end.'),
  })
  .meta({ id: 'RunTask', description: 'A task of a run.' });

export const Run = z
  .object({
    id: z.string().meta({ description: 'Id of the run.', examples: ['run_7f3k2m9q4w8e1r6t5y0b'] }),
    name: RunName,
    created_at: Timestamp.describe('When it began.'),
    tasks: z.array(RunTask).describe('In their order.'),
  })
  .meta({ id: 'Run', description: 'A run of tasks by `vc run`.' });

export const RunList = z
  .object({ runs: z.array(Run).describe('Newest first.') })
  .meta({ id: 'RunList', description: 'Runs of the owner.' });

export type CreateRun = z.output<typeof CreateRun>;
export type UpdateRunTask = z.output<typeof UpdateRunTask>;
export type Run = z.output<typeof Run>;
