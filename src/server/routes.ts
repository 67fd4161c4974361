import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../contract/errors.js';
import { FILE_PATHS } from '../contract/files.js';
import { type Operation, type OperationName, operations } from '../contract/operations.js';
import { PROCESS_PATHS } from '../contract/process.js';
import { TUNNEL_PATHS } from '../contract/tunnel.js';
import { VIEW_PATHS } from '../contract/view.js';
import type { Fleet } from '../fleet/fleet.js';
import { recorded } from './deeds.js';
import { handlers } from './handlers.js';
import { withAddresses } from './links.js';
import { ByteStream, Bytes, type Call, departure, ownerOf, type Params } from './requests.js';
import { sendStream } from './streaming.js';
import { validate } from './validation.js';

const ErrorAnswer = z.object({ error: z.string() });
/** Every method and path of the contract, with what stands beside its operations. */
const PATHS: readonly { readonly method: string; readonly paths: readonly string[] }[] = [
  ...Object.values(operations as Record<string, Operation>),
  { method: 'GET', paths: [...FILE_PATHS, ...PROCESS_PATHS, ...TUNNEL_PATHS] },
  { method: 'PUT', paths: FILE_PATHS },
  { method: 'GET', paths: [VIEW_PATHS.page, VIEW_PATHS.socket, '/openapi.json'] },
];
const NOT_OPEN = Object.entries(operations).filter(([, operation]) => !('open' in operation));

/** One route for each path of each operation of the contract. */
export function addRoutes(app: FastifyInstance, fleet: Fleet): void {
  for (const [name, operation] of NOT_OPEN as [Exclude<OperationName, 'health'>, Operation][]) {
    const handler = handlers[name] as (call: Call<unknown, unknown>) => unknown;
    operation.paths.forEach((url, index) => {
      app.route({
        method: operation.method,
        url,
        schema: documentation(name, operation, index),
        handler: (request, reply) => answer(fleet, name, handler, request, reply),
      });
    });
  }
}

async function answer(
  fleet: Fleet,
  name: Exclude<OperationName, 'health'>,
  handler: (call: Call<unknown, unknown>) => unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const operation: Operation = operations[name];
  const owner = ownerOf(request);
  // No body is an empty object; one that says null is wrong.
  const given = request.body === undefined ? {} : request.body;
  const body = operation.body ? validate(operation.body, given, 'body') : undefined;
  const query = operation.query ? validate(operation.query, request.query, 'query') : undefined;
  const { accept } = request.headers;
  const signal = departure(request);
  const params = request.params as Params;
  try {
    const input = { ...(query as object | undefined), ...(body as object | undefined) };
    const result = await recorded(fleet, { name, owner, params, input }, () =>
      handler({ fleet, owner, params, body, query, accept, signal }),
    );
    if (result instanceof Bytes) return reply.type(result.type).send(result.data);
    if (result instanceof ByteStream) return sendStream(reply, result);
    const answered = withAddresses(result, request);
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(answered));
  } finally {
    request.departureEnded?.();
  }
}

/** What /openapi.json says of the route. Zod schemas; validation is done by {@link validate}. */
function documentation(name: string, operation: Operation, index: number) {
  return {
    operationId: index === 0 ? name : `${name}${index + 1}`,
    summary: operation.summary,
    ...(operation.body ? { body: operation.body } : {}),
    ...(operation.query ? { querystring: operation.query } : {}),
    response: { 200: operation.response, 400: ErrorAnswer, 401: ErrorAnswer, 404: ErrorAnswer },
  };
}

/** 404, or 405 where the path exists with another method. */
export function refuseUnknown(request: FastifyRequest, prefix: string): never {
  const path = request.url.split('?')[0]?.slice(prefix.length) ?? '';
  const methods = PATHS.filter(({ paths }) => paths.some((pattern) => matches(pattern, path))).map(
    ({ method }) => method,
  );
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allowed = [...new Set(methods)].join(', ');
    throw new ApiError(
      'method_not_allowed',
      `${request.method} is not possible here; use ${allowed}.`,
    );
  }
  throw new ApiError(
    'not_found',
    'There is nothing at this path; /api/openapi.json lists what is.',
  );
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  );
}
