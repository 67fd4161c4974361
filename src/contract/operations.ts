import type { z } from 'zod';
import type { Access } from './access/rights.js';
import { accountOperations } from './operations/account.js';
import { administrationOperations } from './operations/administration.js';
import { byteStreams } from './operations/byte-streams.js';
import { commandsOperations } from './operations/commands.js';
import { computersOperations } from './operations/computers.js';
import { filesOperations } from './operations/files.js';
import { imagesOperations } from './operations/images.js';
import { inputOperations } from './operations/input.js';
import type { Endpoint, Operation } from './operations/operation.js';
import { projectsOperations } from './operations/projects.js';
import { publicationsOperations } from './operations/publications.js';
import { runsOperations } from './operations/runs.js';
import { screenOperations } from './operations/screen.js';
import { serviceOperations } from './operations/service.js';
import { snapshotsOperations } from './operations/snapshots.js';
import { streamingOperations } from './operations/streaming.js';
import { volumesOperations } from './operations/volumes.js';
import { webhooksOperations } from './operations/webhooks.js';

/** Every operation of the interface. Server routes, the client's types and /openapi.json follow from it. */
export const operations = {
  ...serviceOperations,
  ...projectsOperations,
  ...computersOperations,
  ...snapshotsOperations,
  ...imagesOperations,
  ...volumesOperations,
  ...screenOperations,
  ...inputOperations,
  ...commandsOperations,
  ...filesOperations,
  ...publicationsOperations,
  ...streamingOperations,
  ...runsOperations,
  ...webhooksOperations,
  ...accountOperations,
  ...administrationOperations,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type StreamName = keyof typeof byteStreams;

/** Operations and byte streams. */
export const endpoints: Readonly<
  Record<OperationName | StreamName, Endpoint & Partial<Operation>>
> = {
  ...operations,
  ...byteStreams,
};

/**
 * What every operation and byte stream needs. The service enforces it in one place, and the OpenAPI
 * document has it as `x-right`.
 */
export const access = Object.fromEntries(
  Object.entries(endpoints).map(([name, endpoint]) => [name, endpoint.access]),
) as Readonly<Record<OperationName | StreamName, Access | 'open'>>;

/** Operations on one computer, which answer under both forms of its address. */
export type ComputerOperation = {
  [N in OperationName]: Operations[N]['paths'][0] extends `/computers/:id${string}` ? N : never;
}[OperationName];

/** True for an operation on one computer. */
export function isComputerOperation({ paths }: Pick<Operation, 'paths'>): boolean {
  return paths[0].startsWith('/computers/:id');
}

type Part<O, K extends string> =
  O extends Record<K, infer S extends z.ZodType> ? S : z.ZodUndefined;

/** What a client sends: defaults may be left out. */
export type BodyInput<N extends OperationName> = z.input<Part<Operations[N], 'body'>>;
export type QueryInput<N extends OperationName> = z.input<Part<Operations[N], 'query'>>;
/** What a handler receives: validated, defaults filled in. */
export type Body<N extends OperationName> = z.output<Part<Operations[N], 'body'>>;
export type Query<N extends OperationName> = z.output<Part<Operations[N], 'query'>>;
export type Answer<N extends OperationName> = z.output<Operations[N]['response']>;
