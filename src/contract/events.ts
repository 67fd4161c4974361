import { z } from 'zod';
import { COMPUTER_STATUSES, EVENT_TYPES } from './constants.js';
import { queryWords, Timestamp } from './primitives.js';
import { Action } from './resources/audit.js';
import { Control } from './resources/control.js';

/*
 * `GET /events` answers server-sent events. The name of an event is its `type`, its data one line of
 * JSON, and its id the position from which `Last-Event-ID` continues.
 */

const at = Timestamp.meta({ description: 'When it happened.' });
const project_id = z.string().meta({ description: 'Id of the project.' });
const project = z.string().meta({ description: 'Name of the project.' });
const computer_id = z.string().meta({ description: 'Id of the computer.' });
const computer = z.string().meta({ description: 'Name of the computer.' });

const ofComputer = {
  at,
  id: computer_id,
  name: computer,
  project_id,
  project: project.nullable(),
};
const snapshot = z.string().meta({ description: 'Name of the snapshot.' });
const image = z.string().meta({ description: "Name of the owner's image." });
const ofSnapshot = {
  name: snapshot,
  computer_id,
  computer: computer.nullable(),
  project_id,
  project: project.nullable(),
};
const status = z.enum(COMPUTER_STATUSES).describe('The status of the computer.');
const type = <const Type extends string>(name: Type) =>
  z.literal(name).describe('Kind of the event.');

export const EventsQuery = z.object({
  project: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Only events of the project with this name or id, and its computers.' }),
  computer: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Only events of the computers with this name or id.' }),
  types: queryWords(EVENT_TYPES)
    .optional()
    .meta({ description: 'Only events of these types; repeatable, or with commas between.' }),
});

export const ServiceEvent = z
  .discriminatedUnion('type', [
    z
      .object({ type: type('computer.created'), ...ofComputer, status })
      .describe('A computer was created.'),
    z.object({
      type: type('computer.status'),
      ...ofComputer,
      status,
      previous: status.meta({
        description: 'The status before; the same if only the reason changed.',
      }),
      reason: z.string().nullable().meta({ description: 'Why, as in `status_reason`.' }),
    }),
    z.object({
      type: type('computer.control'),
      ...ofComputer,
      change: z
        .enum(['taken', 'released', 'expired', 'ended', 'taken_over'])
        .describe(
          '`released` was given back; `expired` without a sign of its holder; `ended` with its session or API key; `taken_over` by another.',
        ),
      holder: Control.shape.holder,
      since: Control.shape.since,
    }),
    z.object({
      type: type('computer.deleted'),
      ...ofComputer,
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Why, if the service itself did it: it was idle, or it expired.' }),
    }),
    z.object({
      type: type('snapshot.created'),
      at,
      ...ofSnapshot,
      parent: snapshot.nullable().meta({ description: 'Name of its parent; null if it has none.' }),
    }),
    z.object({ type: type('snapshot.deleted'), at, ...ofSnapshot }),
    z.object({ type: type('image.created'), at, name: image }),
    z.object({ type: type('image.deleted'), at, name: image }),
    z.object({ type: type('project.created'), at, id: project_id, name: project }),
    z.object({
      type: type('project.renamed'),
      at,
      id: project_id,
      name: project,
      previous: project.meta({ description: 'The name before.' }),
    }),
    z.object({ type: type('project.deleted'), at, id: project_id, name: project }),
    z.object({
      type: type('job.exited'),
      at,
      computer_id,
      computer,
      project_id,
      project,
      id: z.string().meta({ description: 'Id of the background command.' }),
      exit_code: z
        .number()
        .int()
        .nullable()
        .meta({ description: 'Null if the computer stopped before the command ended.' }),
      ended_at: Timestamp.nullable().meta({
        description:
          'When the command ended, by the clock of the computer; null if the computer stopped first. `at` is when the service noticed.',
      }),
    }),
    z.object({
      ...Action.omit({ key_name: true }).shape,
      type: type('action'),
      computer_id: computer_id.nullable(),
      computer: computer.nullable(),
      project_id: project_id.nullable(),
      project: project.nullable(),
    }),
    z.object({
      type: type('reset'),
      at,
      reason: z.string().meta({
        description: 'Why events are missing since the last one. Read the lists again.',
      }),
    }),
  ])
  .meta({ id: 'ServiceEvent', description: 'The data of a server-sent event.' });

/** The types that patterns stand for; see {@link EVENT_PATTERNS}. */
export function typesMatching(patterns: readonly string[]): (typeof EVENT_TYPES)[number][] {
  return EVENT_TYPES.filter((type) =>
    patterns.some(
      (pattern) =>
        pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1))),
    ),
  );
}

export type EventsQuery = z.infer<typeof EventsQuery>;
export type ServiceEvent = z.infer<typeof ServiceEvent>;
