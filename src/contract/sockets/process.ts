import { z } from 'zod';
import { Bash, Exec } from '../actions/actions.js';
import { integer, quantity, text } from '../primitives.js';

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

/** What to run: exactly one of `argv`, `command` and `code`. */
export const ProcessStart = z
  .object({
    /** The program and its arguments; no shell interprets them. */
    argv: z
      .array(text(131_072).refine((value) => !value.includes('\0'), 'must have no NUL'))
      .min(1, 'must name a program')
      .max(4096)
      .optional(),
    /** A script, as of the operation `bash`. With a batch file (Windows) nothing reads the input. */
    command: Bash.shape.command.optional(),
    /** Python code, as of the operation `exec`. */
    code: Exec.shape.code.optional(),
    cwd: Bash.shape.cwd,
    env: Bash.shape.env,
    /** Seconds until the process group is ended; without it, it runs for as long as it takes. */
    timeout: quantity(0.1, 86_400, 'seconds').optional(),
    /** A terminal's size; present when the process wants one. Only with `argv`. */
    terminal: z.object({ columns: integer(1, 1000), rows: integer(1, 1000) }).optional(),
  })
  .refine(
    ({ argv, command, code }) =>
      [argv, command, code].filter((one) => one !== undefined).length === 1,
    { message: 'must be the only one of argv, command and code', path: ['argv'] },
  )
  .refine(({ argv, terminal }) => terminal === undefined || argv !== undefined, {
    message: 'is possible only with argv',
    path: ['terminal'],
  });

export const ProcessControl = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stdin_end') }),
  z.object({ type: z.literal('signal'), signal: z.enum(['INT', 'TERM', 'HUP', 'KILL', 'QUIT']) }),
  z.object({ type: z.literal('resize'), columns: integer(1, 1000), rows: integer(1, 1000) }),
]);

export const ProcessEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('exit'),
    /** Null when a signal ended it. */
    code: z.number().nullable(),
    signal: z.string().nullable(),
    /** True when it was ended at its `timeout`. */
    timed_out: z.boolean().optional(),
    /** The exception of Python code with its traceback, which is not on standard error. */
    error: z.string().optional(),
    /** The exception's class; `SystemExit` for `sys.exit` with another value than 0. */
    error_type: z.string().optional(),
  }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    error: z.string(),
    remedy: z.string().optional(),
  }),
]);

export type ProcessStart = z.infer<typeof ProcessStart>;
export type ProcessControl = z.infer<typeof ProcessControl>;
export type ProcessEvent = z.infer<typeof ProcessEvent>;
