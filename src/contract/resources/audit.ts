import { z } from 'zod';
import { type ErrorCode, errorCatalogue } from '../errors.js';
import { integer, queryNumber, Timestamp } from '../primitives.js';

/** What an audit log can be filtered by: `ok`, `cancelled`, `failed` for every error, or the code of one. */
const OUTCOMES = [
  'ok',
  'failed',
  'cancelled',
  ...(Object.keys(errorCatalogue) as ErrorCode[]),
] as const;

/** An entry of a computer's audit log. */
export const Action = z
  .object({
    id: z
      .number()
      .int()
      .meta({ description: 'Grows with time.', examples: [42] }),
    at: Timestamp.describe('When the action began.'),
    action: z.string().meta({ description: 'Name of the operation.', examples: ['click'] }),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
      description:
        'Coordinates, settings and lengths. Texts, commands, code and paths are never recorded.',
      examples: [{ x: 640, y: 400 }],
    }),
    key_id: z.string().meta({
      description: 'Id of the API key; `service` for what the service did by itself.',
      examples: ['key_4d9s1x7f3k2m9q4w8e1r'],
    }),
    key_name: z
      .string()
      .nullable()
      .meta({
        description:
          "Name of the API key; null if it is an administrator's or was revoked more than a day ago, and for the service.",
        examples: ['laptop'],
      }),
    outcome: z.string().meta({
      description:
        '`ok`, the code of the error, or `cancelled` if the client disconnected or ended it, or, of a process or tunnel, if its computer was stopped, restarted, reset or deleted.',
      examples: ['ok'],
    }),
    ms: z
      .number()
      .int()
      .meta({ description: 'Duration in milliseconds.', examples: [17] }),
  })
  .meta({ id: 'Action', description: 'An entry of the audit log of a computer.' });

export const ActionList = z
  .object({ actions: z.array(Action).describe('By the time of their end, the newest first.') })
  .meta({ id: 'ActionList', description: 'A page of the audit log of a computer.' });

export const ActionsQuery = z.object({
  limit: queryNumber(integer(1, 1000)).default(100).describe('Number of entries.'),
  before: queryNumber(integer(1, Number.MAX_SAFE_INTEGER))
    .optional()
    .meta({
      description: 'Only entries before this `id`: that of the last entry of the page before.',
      examples: [42],
    }),
});

/** An entry of an owner's audit log. */
export const AuditEntry = Action.extend({
  computer_id: z
    .string()
    .nullable()
    .meta({
      description: 'Null for operations on no computer: on keys, projects, connections and owners.',
      examples: ['cmp_7f3k2m9q4w8e1r6t5y0b'],
    }),
  computer_name: z
    .string()
    .nullable()
    .meta({
      description:
        'Name of the computer at that time, also of one that was deleted since; null for operations on no computer.',
      examples: ['desktop'],
    }),
}).meta({ id: 'AuditEntry', description: 'An entry of the audit log of an owner.' });

export const AuditLog = z
  .object({ entries: z.array(AuditEntry).describe('By the time of their end, the newest first.') })
  .meta({ id: 'AuditLog', description: 'A page of the audit log of an owner.' });

export const AuditQuery = ActionsQuery.extend({
  computer: z
    .string()
    .max(64)
    .optional()
    .meta({
      description: 'Only entries of the computer with this id, which may have been deleted.',
      examples: ['cmp_7f3k2m9q4w8e1r6t5y0b'],
    }),
  action: z
    .string()
    .max(64)
    .optional()
    .meta({
      description:
        'Only entries whose `action` contains this, or the command of `vc` for it, such as `rm` for `deleteComputer`; in any case.',
      examples: ['snapshot'],
    }),
  key: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Only entries of the key with this name or id.', examples: ['laptop'] }),
  outcome: z
    .enum(OUTCOMES, { error: 'must be "ok", "failed", "cancelled" or the code of an error' })
    .optional()
    .meta({
      description: 'Only entries with this outcome; `failed` has those with the code of any error.',
      examples: ['failed'],
    }),
  since: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-11-22T11:03:07Z' })
    .optional()
    .meta({
      description: 'Only entries of actions that began at this time or later.',
      examples: ['2026-11-22T11:03:07.603Z'],
    }),
});

export type Action = z.infer<typeof Action>;
export type AuditEntry = z.infer<typeof AuditEntry>;
export type AuditQuery = z.infer<typeof AuditQuery>;
export type ActionsQuery = z.infer<typeof ActionsQuery>;
