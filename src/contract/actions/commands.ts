import { z } from 'zod';
import { DEFAULT_SECONDS } from '../constants.js';
import { Environment, noNul } from '../environment.js';
import { flag, quantity, text } from '../primitives.js';

const Directory = text(4096)
  .min(1, 'must not be empty')
  .refine(noNul, 'must have no NUL')
  .meta({
    description: 'Working directory, relative to the home directory, which is the default.',
    examples: ['project'],
  });

export const Bash = z
  .object({
    command: text(1_000_000)
      .min(1, 'must not be empty')
      .refine(noNul, 'must have no NUL')
      .meta({
        description:
          'A script for `bash`, which runs as `user` in the environment of the desktop; a batch file for `cmd` with `os: "windows"`.',
        examples: ['uname -a'],
      }),
    timeout: quantity(0.1, 86_400, 'seconds')
      .default(DEFAULT_SECONDS.bash)
      .describe('Seconds until the process group is killed; not for a background command.'),
    cwd: Directory.optional(),
    env: Environment.optional(),
    background: flag()
      .default(false)
      .describe('Answers at once with `job_id`; the command continues as a job.'),
  })
  .meta({ id: 'Bash', description: 'A command to run.' });

export const BashResult = z
  .object({
    success: z
      .boolean()
      .describe('True if the command ran to its end, with any exit code; false after a time-out.'),
    output: z
      .string()
      .meta({ description: 'Standard output, then standard error.', examples: ['Linux\n'] }),
    stdout: z
      .string()
      .meta({ description: 'Standard output, up to 1 MiB.', examples: ['Linux\n'] }),
    stderr: z.string().meta({ description: 'Standard error, up to 1 MiB.', examples: [''] }),
    exit_code: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          'Null if a signal or the time-out ended the command, or if it is in the background.',
        examples: [0],
      }),
    timed_out: z.boolean().describe('True if the command was ended at its `timeout`.'),
    truncated: z.boolean().describe('True if a stream had more than 1 MiB; the rest is lost.'),
    pid: z
      .number()
      .int()
      .optional()
      .meta({
        description:
          'With `background`: the process id in the computer, also of the process group.',
        examples: [1234],
      }),
    job_id: z
      .string()
      .optional()
      .meta({
        description: 'With `background`: the id of the job.',
        examples: ['job_0123456789abcdefg'],
      }),
  })
  .meta({ id: 'BashResult', description: 'How a command ended, and what it printed.' });

const output = z.string().meta({ description: 'A piece of the output.', examples: ['Linux\n'] });

/** A line of the answer to `bash` with `Accept: application/x-ndjson`. */
export const BashLine = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('stdout').describe('Standard output.'), data: output })
      .describe('A piece of standard output.'),
    z
      .object({ type: z.literal('stderr').describe('Standard error.'), data: output })
      .describe('A piece of standard error.'),
    z
      .object({
        type: z.literal('exit').describe('The last line.'),
        ...BashResult.pick({ success: true, exit_code: true, timed_out: true }).shape,
      })
      .describe('How the command ended.'),
    z
      .object({
        type: z.literal('error').describe('The last line.'),
        code: z.string().meta({ description: 'Code of the error.', examples: ['guest_failed'] }),
        error: z
          .string()
          .meta({ description: 'What went wrong.', examples: ['The connection was lost.'] }),
      })
      .describe('The output ended too early.'),
  ])
  .meta({ id: 'BashLine', description: 'A line of the streamed answer of a command.' });

export const Exec = z
  .object({
    code: text(1_000_000)
      .refine(noNul, 'must have no NUL')
      .meta({ description: 'Python 3 source code.', examples: ['print(6 * 7)'] }),
    timeout: quantity(1, 300, 'seconds')
      .default(DEFAULT_SECONDS.exec)
      .describe('Seconds until the code is ended.'),
  })
  .meta({ id: 'Exec', description: 'Python code to run.' });

export const ExecResult = z
  .object({
    success: z.boolean().describe('False after an exception or a time-out.'),
    output: z.string().meta({ description: 'What the code printed.', examples: ['42\n'] }),
    error: z
      .string()
      .optional()
      .meta({
        description: 'The exception with its traceback.',
        examples: ['ZeroDivisionError: division by zero'],
      }),
    error_type: z
      .string()
      .optional()
      .meta({ description: "The exception's class.", examples: ['ZeroDivisionError'] }),
    timed_out: z.boolean().describe('True if the code was ended at its `timeout`.'),
    truncated: z.boolean().describe('True if a stream had more than 1 MiB; the rest is lost.'),
  })
  .meta({ id: 'ExecResult', description: 'How Python code ended, and what it printed.' });

export type Bash = z.infer<typeof Bash>;
export type BashResult = z.infer<typeof BashResult>;
export type Exec = z.infer<typeof Exec>;
export type ExecResult = z.infer<typeof ExecResult>;
export type BashLine = z.infer<typeof BashLine>;
