import { z } from 'zod';
import { access, type StreamName } from '../access/rights.js';
import { BashLine } from '../actions/actions.js';
import { DEFAULT_BASE_URL, TRAJECTORY_TYPE } from '../constants.js';
import { ServiceEvent } from '../events.js';
import { type Operation, operations } from '../operations.js';
import type { OperationName } from '../routes.js';
import { BYTES, type BytePath, bytePaths } from './byte-paths.js';
import { answerHeaders, moreAnswers, requestHeaders } from './conditions.js';
import { descriptions, pathParameters, type Tag, tags } from './descriptions.js';
import { errorAnswers, errorResponses, errorSchema, header, headers } from './errors.js';
import { exampleOf } from './examples.js';
import { type Json, SchemaCollection } from './schemas.js';

export interface OpenApiDocument extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> } & Json;
}

/** What one method of one path is made of. */
interface Row extends Omit<Operation, 'response'> {
  readonly name: string;
  readonly tag: Tag;
  readonly description: string;
  readonly requestBody?: Json | undefined;
  readonly success: Json;
  readonly isSocket: boolean;
}

/** Answers of operations that are not only JSON, by media type. */
const MEDIA: Partial<
  Record<OperationName, Readonly<Record<string, { schema: Json | z.ZodType }>>>
> = {
  screenshot: {
    'image/png': { schema: BYTES },
    'image/jpeg': { schema: BYTES },
    'image/webp': { schema: BYTES },
  },
  thumbnail: { 'image/jpeg': { schema: BYTES } },
  bash: { 'application/x-ndjson': { schema: BashLine } },
  record: { 'video/mp4': { schema: BYTES } },
  getTrajectory: { [TRAJECTORY_TYPE]: { schema: BYTES } },
  getTrajectoryPicture: { 'image/png': { schema: BYTES } },
  streamEvents: { 'text/event-stream': { schema: ServiceEvent } },
};

/** The OpenAPI document of the contract, for a service at `baseUrl`. */
export function openApiDocument(version: string, baseUrl = DEFAULT_BASE_URL): OpenApiDocument {
  const schemas = new SchemaCollection();
  const rows = [
    ...Object.entries(operations).map(([name, operation]) =>
      rowOf(name as OperationName, operation, schemas),
    ),
    ...Object.entries(bytePaths).map(([name, path]) => bytesRow(name, path, schemas)),
  ];
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    row.paths.forEach((path, index) => {
      const key = path.replaceAll(/:(\w+)/g, '{$1}');
      paths[key] = { ...paths[key], [row.method.toLowerCase()]: method(row, path, index, schemas) };
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

function rowOf(name: OperationName, operation: Operation, schemas: SchemaCollection): Row {
  const [tag, description] = descriptions[name];
  const json =
    operation.response instanceof z.ZodUnknown ? {} : jsonContent(operation.response, schemas);
  return {
    ...operation,
    ...{ name, tag, description, isSocket: false },
    requestBody: operation.body && requestBody(operation.body, schemas),
    success: {
      description: 'Success.',
      headers: {
        'x-request-id': header('RequestId'),
        'x-api-version': header('ApiVersion'),
        ...(operation.published ? { 'x-warning': header('Warning') } : {}),
        ...answerHeaders[name],
      },
      content: { ...json, ...mediaOf(name, schemas) },
    },
  };
}

function mediaOf(name: OperationName, schemas: SchemaCollection): Json {
  const types = Object.entries(MEDIA[name] ?? {}).map(([type, { schema }]) => [
    type,
    { schema: schema instanceof z.ZodType ? schemas.add(schema, 'output') : schema },
  ]);
  return Object.fromEntries(types);
}

function bytesRow(name: string, path: BytePath, schemas: SchemaCollection): Row {
  const { messages, success = {}, response, body } = path;
  const content = response === undefined ? {} : { content: jsonContent(response, schemas) };
  const refs = (list: readonly z.ZodType[]) => list.map((schema) => schemas.add(schema, 'input'));
  return {
    ...path,
    ...{ name, body: undefined, requestBody: body, isSocket: messages !== undefined },
    success: {
      description: messages === undefined ? 'Success.' : 'The WebSocket is open.',
      ...content,
      ...success,
      headers: {
        'x-request-id': header('RequestId'),
        'x-api-version': header('ApiVersion'),
        ...(success.headers as Json | undefined),
        ...answerHeaders[name],
      },
      ...(messages && {
        'x-messages': { client: refs(messages.client), service: refs(messages.service) },
      }),
    },
  };
}

function jsonContent(schema: z.ZodType, schemas: SchemaCollection): Json {
  return { 'application/json': { schema: schemas.add(schema, 'output') } };
}

function requestBody(body: z.ZodType, schemas: SchemaCollection): Json {
  const schema = schemas.add(body, 'input');
  const example = exampleOf(schema, schemas.named);
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema, example } },
  };
}

function method(row: Row, path: string, index: number, schemas: SchemaCollection): Json {
  const { name, tag, summary, description, query, requestBody, success, isSocket } = row;
  const parameters = [
    ...pathParametersOf(path),
    ...queryParameters(query, schemas),
    ...(requestHeaders[name] ?? []),
  ];
  return {
    operationId: index === 0 ? name : `${name}ByName`,
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    ...(row.open ? { security: [{}, { key: [] }] } : {}),
    ...rightOf(name),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [isSocket ? 101 : 200]: success,
      ...moreAnswers[name],
      ...errorAnswers(errorStatuses(row, path)),
    },
  };
}

/** The right that an API key needs, and whether a key for one project has it. */
function rightOf(name: string): Json {
  const needed = access[name as OperationName | StreamName];
  if (needed === 'open') return {};
  const { right, reach, stricter } = needed;
  return { 'x-right': { right, reach, ...(stricter && { stricter }) } };
}

/** Statuses of the errors that the path can answer, apart from those of a wrong method. */
function errorStatuses(row: Row, path: string): number[] {
  // 400 is also for a foreign origin and for a host name that is not the service's.
  if (row.open) return row.requestBody === undefined ? [400, 500] : [400, 401, 413, 500];
  const onComputers = /:(id|project|owner)\b/.test(path) || row.name === 'createComputerIn';
  return [
    ...[400, 401, 403],
    ...(path.includes(':') || onComputers || row.administrators ? [404] : []),
    ...(row.body ? [408, 413, 415] : row.requestBody ? [408] : []),
    ...[429, 500],
    ...(onComputers ? [503] : []),
  ];
}

function pathParametersOf(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const [description, example] = pathParameters[name] ?? [];
    const schema = { type: 'string', examples: [example] };
    return { name, in: 'path', required: true, description, schema };
  });
}

function queryParameters(query: z.ZodType | undefined, schemas: SchemaCollection): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.add(query, 'input');
  return Object.entries(properties as Record<string, Json>).map(
    ([name, { description, ...schema }]) => ({
      ...{ name, in: 'query', required: (required as string[]).includes(name) },
      ...{ description, schema },
    }),
  );
}
