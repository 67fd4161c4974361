import { z } from 'zod';
import type { Access } from '../access/rights.js';
import { DEFAULT_BASE_URL } from '../constants.js';
import { byteStreams } from '../operations/byte-streams.js';
import {
  type ByteStream,
  type Endpoint,
  etagHeader,
  type Json,
  type Operation,
  requestHeader,
  tags,
} from '../operations/operation.js';
import { operations } from '../operations.js';
import { errorAnswers, errorResponses, errorSchema, header, headers } from './errors.js';
import { SchemaCollection } from './schemas.js';

export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> } & Json;
}

/** What one method of one path is made of. */
interface Row {
  readonly name: string;
  readonly endpoint: Endpoint & Pick<Operation, 'body' | 'idempotent' | 'administrators'>;
  readonly requestBody: Json | undefined;
  readonly success: Json;
  readonly partial?: Json | undefined;
  readonly isSocket?: boolean;
}

/** Path parameters, with an example. */
const PATH_PARAMETERS: Readonly<Record<string, readonly [string, string]>> = {
  id: ['Id of the computer.', 'cmp_7f3k2m9q4w8e1r6t5y0b'],
  project: ['Name or id of the project.', 'demo'],
  computer: ['Name of the computer, percent-encoded.', 'desktop'],
  snapshot: ['Name of the snapshot.', 'clean'],
  port: ['The published port.', '8000'],
  image: ['Name of the image.', 'browser-ready'],
  volume: ['Name of the volume.', 'data'],
  run: ['Id of the run.', 'run_7f3k2m9q4w8e1r6t5y0b'],
  task: ['Name of the task.', 'write-note'],
  job: ['Id of the job.', 'job_0123456789abcdefg'],
  picture: ['Name of the picture, as in `before` and `after`.', '0001.png'],
  secret: ['Name of the secret.', 'SHOP_PASSWORD'],
  name: ['Name of the stream target.', 'studio'],
  key: ['Id of the API key.', 'key_4d9s1x7f3k2m9q4w8e1r'],
  member: ['Name of the member.', 'node1'],
  webhook: ['Id of the webhook.', 'whk_7f3k2m9q4w8e1r6t5y0b'],
  owner: ['Name or id of the owner.', 'alice@example.com'],
};

const idempotencyKey = requestHeader(
  'Idempotency-Key',
  '1 to 255 printable ASCII characters without spaces. With the same key, path and body, the creation is carried out once in 24 hours in which the service runs; a repeated request gets the same answer.',
  '4f6b1c2e-5d0a-4c7e-9f3b-8a1d2e3c4b5a',
);
const ifNoneMatch = requestHeader(
  'If-None-Match',
  'An `etag` of an earlier answer: answers 304 if nothing has changed.',
  '"7f3k2m9q"',
);

/** The OpenAPI document of the contract, for a service at `baseUrl`. */
export function openApiDocument(version: string, baseUrl = DEFAULT_BASE_URL): OpenApiDocument {
  const schemas = new SchemaCollection();
  const rows = [
    ...Object.entries(operations).map(([name, operation]) => rowOf(name, operation, schemas)),
    ...Object.entries<ByteStream>(byteStreams)
      .filter(([, { isHidden }]) => !isHidden)
      .map(([name, stream]) => streamRow(name, stream, schemas)),
  ];
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    row.endpoint.paths.forEach((path, index) => {
      const key = path.replaceAll(/:(\w+)/g, '{$1}');
      paths[key] = {
        ...paths[key],
        [row.endpoint.method.toLowerCase()]: method(row, path, index, schemas),
      };
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'vc',
      version,
      summary: 'Virtual computers: create, control, watch.',
      description:
        'Every request carries an API key: `Authorization: Bearer <API_KEY>`. Bodies are JSON, and every success has the status 200. A field that an operation does not have is refused with 400; seven operations ignore it and name it in the header `x-warning`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This service.' }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: see `vc key --help`.' },
      },
      headers,
      responses: errorResponses(),
      schemas: { ...schemas.named, Error: errorSchema } as Record<string, Json>,
    },
  };
}

function rowOf(name: string, operation: Operation, schemas: SchemaCollection): Row {
  const { body, response, published, media = {} } = operation;
  const types = Object.entries(media).map(([type, schema]) => [
    type,
    { schema: schema instanceof z.ZodType ? schemas.add(schema, 'output') : schema },
  ]);
  return {
    name,
    endpoint: operation,
    requestBody: body && requestBody(body, schemas, published ? 'input' : 'exact'),
    success: {
      description: 'Success.',
      headers: {
        ...commonHeaders,
        ...(published && { 'x-warning': header('Warning') }),
        ...(operation.idempotent && {
          'idempotent-replayed': {
            description: 'Present if this is the answer to an earlier request with the same key.',
            schema: { const: 'true' },
          },
        }),
        ...(operation.etag && { etag: etagHeader }),
      },
      content: {
        ...(!(response instanceof z.ZodUnknown) && jsonContent(response, schemas)),
        ...Object.fromEntries(types),
      },
    },
  };
}

function streamRow(name: string, stream: ByteStream, schemas: SchemaCollection): Row {
  const { messages, success = {}, response, lines, requestBody, partial } = stream;
  const refs = (list: readonly z.ZodType[]) => list.map((schema) => schemas.add(schema, 'input'));
  return {
    name,
    endpoint: stream,
    requestBody,
    isSocket: messages !== undefined,
    success: {
      description: messages === undefined ? 'Success.' : 'The WebSocket is open.',
      ...(response && { content: jsonContent(response, schemas) }),
      ...(lines && {
        content: { 'application/x-ndjson': { schema: schemas.add(lines, 'output') } },
      }),
      ...success,
      headers: {
        ...commonHeaders,
        ...(success.headers as Json | undefined),
        ...(stream.etag && { etag: etagHeader }),
      },
      ...(messages && {
        'x-messages': { client: refs(messages.client), service: refs(messages.service) },
      }),
    },
    partial: partial && {
      ...partial,
      headers: { 'x-request-id': header('RequestId'), ...(partial.headers as Json) },
    },
  };
}

const commonHeaders: Json = {
  'x-request-id': header('RequestId'),
  'x-api-version': header('ApiVersion'),
  'x-budget': header('Budget'),
};

function jsonContent(schema: z.ZodType, schemas: SchemaCollection): Json {
  return { 'application/json': { schema: schemas.add(schema, 'output') } };
}

function requestBody(body: z.ZodType, schemas: SchemaCollection, use: 'input' | 'exact'): Json {
  const schema = schemas.add(body, use);
  const example = schemas.exampleOf(schema);
  const { anyOf, oneOf = anyOf } = z.globalRegistry.get(body) ?? {};
  return {
    required: oneOf !== undefined || !body.safeParse({}).success,
    content: { 'application/json': { schema, example } },
  };
}

function method(row: Row, path: string, index: number, schemas: SchemaCollection): Json {
  const { name, endpoint, requestBody, success, partial, isSocket } = row;
  const { access } = endpoint;
  const parameters = [
    ...pathParametersOf(path),
    ...queryParameters(endpoint.query, schemas),
    ...(endpoint.requestHeaders ?? []),
    ...(endpoint.idempotent ? [idempotencyKey] : []),
    ...(endpoint.etag ? [ifNoneMatch] : []),
  ];
  return {
    operationId: index === 0 ? name : `${name}ByName`,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
    ...(access === 'open' ? { security: [{}, { key: [] }] } : { 'x-right': rightOf(access) }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [isSocket ? 101 : 200]: success,
      ...(partial && { 206: partial, ...errorAnswers([416]) }),
      ...(endpoint.etag && { 304: unchanged }),
      ...errorAnswers(errorStatuses(row, path)),
    },
  };
}

const unchanged: Json = {
  description: 'Nothing has changed; there is no body.',
  headers: { 'x-request-id': header('RequestId'), etag: etagHeader },
};

/** The right that an API key needs, and whether a key for one project has it. */
function rightOf({ right, reach, stricter }: Access): Json {
  return { right, reach, ...(stricter && { stricter }) };
}

/** Statuses of the errors that the path can answer, apart from those of a wrong method. */
function errorStatuses({ name, endpoint, requestBody }: Row, path: string): number[] {
  // 400 is also for a foreign origin and for a host name that is not the service's.
  if (endpoint.access === 'open') {
    return requestBody === undefined ? [400, 500] : [400, 401, 413, 500];
  }
  const onComputers =
    /:(id|project|owner)\b/.test(path) ||
    ['createComputerIn', 'saveImage', 'buildImage', 'deleteImage'].includes(name);
  // A project in the body; a session that a request with a key does not have.
  const others = ['createKey', 'getSession', 'endSession'].includes(name);
  const statuses = [400, 401, 403, 429, 500];
  if (path.includes(':') || onComputers || endpoint.administrators || others) statuses.push(404);
  if (endpoint.body) statuses.push(408, 413, 415);
  else if (requestBody) statuses.push(408);
  if (onComputers) statuses.push(503);
  return statuses;
}

function pathParametersOf(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const [description, example] = PATH_PARAMETERS[name] ?? [];
    const schema = { type: 'string', examples: [example] };
    return { name, in: 'path', required: true, description, schema };
  });
}

function queryParameters(query: z.ZodType | undefined, schemas: SchemaCollection): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.add(query, 'input');
  return Object.entries(properties as Record<string, Json>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: (required as string[]).includes(name),
      description,
      schema,
    }),
  );
}
