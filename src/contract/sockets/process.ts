import { z } from 'zod';
import { Bash } from '../actions/actions.js';
import { integer, text } from '../primitives.js';

/*
 * A process with its streams, over one WebSocket: `GET C/process`, key in `Authorization`.
 *
 * The client's first message is text, a {@link ProcessStart}. From then on binary messages carry
 * bytes: the first byte is the {@link StreamId}, the rest the data. Text messages are JSON: the
 * client's {@link ProcessControl}, the service's {@link ProcessEvent}, of which the last is `exit`
 * or `error`; the service then closes. When the client closes first, the process group is ended.
 */

export const StreamId = { stdin: 0, stdout: 1, stderr: 2 } as const;
export type StreamId = (typeof StreamId)[keyof typeof StreamId];

export const ProcessStart = z.object({
  /** The program and its arguments; no shell interprets them. */
  argv: z
    .array(text(131_072).refine((value) => !value.includes('\0'), 'must have no NUL'))
    .min(1, 'must name a program')
    .max(4096),
  cwd: Bash.shape.cwd,
  env: Bash.shape.env,
  /** A terminal's size; present when the process wants one. */
  terminal: z.object({ columns: integer(1, 1000), rows: integer(1, 1000) }).optional(),
});

export const ProcessControl = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stdin_end') }),
  z.object({ type: z.literal('signal'), signal: z.enum(['INT', 'TERM', 'HUP', 'KILL', 'QUIT']) }),
  z.object({ type: z.literal('resize'), columns: integer(1, 1000), rows: integer(1, 1000) }),
]);

export const ProcessEvent = z.discriminatedUnion('type', [
  /** `code` is null when a signal ended it. */
  z.object({ type: z.literal('exit'), code: z.number().nullable(), signal: z.string().nullable() }),
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
