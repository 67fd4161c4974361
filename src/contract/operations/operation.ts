import type { z } from 'zod';
import type { Access } from '../access/rights.js';

/** A part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Groups of operations, in the order in which a reader needs them. */
export const tags = {
  Projects: 'A project is a group of computers.',
  Computers: 'Create, start, stop, copy and delete computers.',
  Snapshots: 'Save the state of a computer and go back to it.',
  Images: 'What computers are made from.',
  Volumes: 'Directories that computers share and that outlive them.',
  Screen: 'Screenshots and the live view.',
  Input: 'Mouse, keyboard and clipboard. Actions on one computer run one after the other.',
  Models: 'Computer use by models in the shapes of their vendors.',
  Commands: 'Commands, Python code, processes and background jobs.',
  Browser: 'The browser of a computer, for programs that speak the Chrome DevTools Protocol.',
  Files: 'Files and directories in a computer.',
  Network: 'Connections to ports of a computer.',
  Streaming: 'RTMP streams and recordings.',
  Runs: 'Tasks of agents with their results, as vc run reports them.',
  Account: 'The owner of the API key, keys and the audit log.',
  Owners: 'For administrators. For other owners these paths do not exist.',
  Cluster: 'The members of a cluster. For administrators.',
  Events: 'Changes of projects and computers as they happen, and webhooks that get them.',
  Service: 'The service itself.',
} as const;

export type Tag = keyof typeof tags;

/** What operations and byte streams have in common. */
export interface Endpoint {
  readonly method: Method;
  /** Paths relative to the base URL; clients use the first whose parameters they have. */
  readonly paths: readonly [string, ...string[]];
  /** Further paths, for older clients of this API family; not in the OpenAPI document. */
  readonly aliases?: readonly string[];
  readonly tag: Tag;
  readonly summary: string;
  /** What the summary does not say. */
  readonly description?: string;
  /** What an API key needs; `open` needs no key. */
  readonly access: Access | 'open';
  /** It is in the audit log, where `vc history` shows this command. */
  readonly audit?: string;
  readonly query?: z.ZodType;
  /** The answer has an `etag`, and requests can have `If-None-Match`. */
  readonly etag?: true;
  /** Headers that it reads, apart from those of every request. */
  readonly requestHeaders?: readonly Json[];
}

/** An operation: takes and answers JSON. */
export interface Operation extends Endpoint {
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Other media types of the answer. */
  readonly media?: Readonly<Record<string, Json | z.ZodType>>;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: true;
  /** Seconds that it can take, if the body does not say. */
  readonly maxSeconds?: number;
  /** Part of the published interface, which never changes. */
  readonly published?: true;
  /** For administrators; to other owners the path does not exist. */
  readonly administrators?: true;
}

export type Operations = Readonly<Record<string, Operation>>;

/** A path whose body, answer or both are not JSON. */
export interface ByteStream extends Endpoint {
  readonly requestBody?: Json;
  readonly response?: z.ZodType;
  /** Each line of the answer 200, if it is `application/x-ndjson`. */
  readonly lines?: z.ZodType;
  /** The answer 200, if it is not JSON. */
  readonly success?: Json;
  /** The answer 206. */
  readonly partial?: Json;
  /** Messages of a WebSocket, by sender. */
  readonly messages?: Readonly<Record<'client' | 'service', readonly z.ZodType[]>>;
  /** Not in the OpenAPI document. */
  readonly isHidden?: true;
}

export const BYTES: Json = { type: 'string', format: 'binary' };

/** The header `etag` of an answer. */
export const etagHeader: Json = {
  description: 'Identifies the content, for `If-None-Match`.',
  schema: { type: 'string', examples: ['"7f3k2m9q"'] },
};

/** Both forms of a computer's address, with `rest` behind each. */
export function computerPaths<const R extends string>(rest: R) {
  return [`/computers/:id${rest}`, `/projects/:project/computers/:computer${rest}`] as const;
}

/** An optional header of a request, for the OpenAPI document. */
export function requestHeader(name: string, description: string, example: string): Json {
  const schema = { type: 'string', examples: [example] };
  return { name, in: 'header', required: false, description, schema };
}
