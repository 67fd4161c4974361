import { z } from 'zod';
import { Bash, Exec } from '../actions/actions.js';
import { exactlyOne, integer, quantity, text } from '../primitives.js';
import { SocketError } from './error.js';

/*
 * A process with its streams, over one WebSocket: `GET C/process`, key in `Authorization`.
 *
 * The client's first message is text, a {@link ProcessStart}. From then on binary messages carry
 * bytes: the first byte is the {@link StreamId}, the rest the data. Text messages are JSON: the
 * client's {@link ProcessControl}, the service's {@link ProcessEvent}, of which the last is `exit`
 * or `error`; the service then closes. When the client closes first, the process group is ended; so
 * is what a script or Python code leaves running that the client has sent a signal.
 */

export const StreamId = { stdin: 0, stdout: 1, stderr: 2 } as const;
export type StreamId = (typeof StreamId)[keyof typeof StreamId];

const columns = integer(1, 1000).describe('Characters in a line.');
const rows = integer(1, 1000).describe('Lines.');
const type = <const Type extends string>(name: Type) =>
  z.literal(name).describe('Kind of the message.');

/** What to run: exactly one of `argv`, `command` and `code`. */
export const ProcessStart = z
  .object({
    argv: z
      .array(
        text(131_072).refine((value) => !value.includes('\0'), {
          error: 'must have no NUL',
          abort: true,
        }),
      )
      .min(1, 'must name a program')
      .max(4096)
      .optional()
      .meta({
        description: 'The program and its arguments; no shell interprets them.',
        examples: [['ls', '-la']],
      }),
    command: Bash.shape.command
      .optional()
      .describe(
        'A script, as of the operation `bash`. A batch file (Windows) cannot read standard input.',
      ),
    code: Exec.shape.code.optional().describe('Python code, as of the operation `exec`.'),
    cwd: Bash.shape.cwd,
    env: Bash.shape.env,
    timeout: quantity(0.1, 86_400, 'seconds')
      .optional()
      .meta({
        description: 'Seconds until the process group is ended. Without it there is no limit.',
        examples: [60],
      }),
    terminal: z
      .object({ columns, rows })
      .optional()
      .describe('Runs the process in a terminal of this size. Only with `argv`.'),
  })
  .refine(
    ({ argv, command, code }) =>
      [argv, command, code].filter((one) => one !== undefined).length === 1,
    { message: 'must be the only one of argv, command and code', path: ['argv'] },
  )
  .refine(({ argv, terminal }) => terminal === undefined || argv !== undefined, {
    message: 'is possible only with argv',
    path: ['terminal'],
  })
  .meta({
    id: 'ProcessStart',
    ...exactlyOne('argv', 'command', 'code'),
    description: 'What to run: exactly one of `argv`, `command` and `code`.',
  });

export const ProcessControl = z
  .discriminatedUnion('type', [
    z.object({ type: type('stdin_end') }).describe('Closes standard input.'),
    z
      .object({
        type: type('signal'),
        signal: z.enum(['INT', 'TERM', 'HUP', 'KILL', 'QUIT']).describe('Name of the signal.'),
      })
      .describe('Sends a signal to the process group.'),
    z.object({ type: type('resize'), columns, rows }).describe('Resizes the terminal.'),
  ])
  .meta({ id: 'ProcessControl', description: 'A message of the client to a process.' });

export const ProcessEvent = z
  .discriminatedUnion('type', [
    z
      .object({
        type: type('exit'),
        code: z
          .number()
          .nullable()
          .meta({ description: 'Exit code; null if a signal ended the process.', examples: [0] }),
        signal: z
          .string()
          .nullable()
          .meta({ description: 'Name of the signal that ended the process.', examples: ['TERM'] }),
        timed_out: z.boolean().optional().describe('True if it was ended at its `timeout`.'),
        error: z
          .string()
          .optional()
          .meta({
            description:
              'The exception of Python code with its traceback, which is not on standard error.',
            examples: ['ZeroDivisionError: division by zero'],
          }),
        error_type: z
          .string()
          .optional()
          .meta({
            description: "The exception's class; `SystemExit` for `sys.exit` with a value but 0.",
            examples: ['ZeroDivisionError'],
          }),
      })
      .describe('The process has ended.'),
    SocketError,
  ])
  .meta({ id: 'ProcessEvent', description: 'The last message of the service.' });

export type ProcessStart = z.infer<typeof ProcessStart>;
export type ProcessControl = z.infer<typeof ProcessControl>;
export type ProcessEvent = z.infer<typeof ProcessEvent>;
