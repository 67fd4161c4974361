import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { access } from '../contract/access/rights.js';
import { ApiError } from '../contract/errors.js';
import { isComputerOperation, type Operation, operations } from '../contract/operations.js';
import {
  CDP_PATHS,
  FILE_PATHS,
  MCP_PATH,
  PROCESS_PATHS,
  TUNNEL_PATHS,
} from '../contract/routes.js';
import { VIEW_PATHS } from '../contract/sockets/view.js';
import { WALL_PATH } from '../contract/sockets/wall.js';
import type { Fleet } from '../fleet/fleet.js';
import { authorizeBody, mayAdminister } from './access/authorization.js';
import { checkAudited, checkControl } from './access/refusals.js';
import { audited } from './audit-requests.js';
import { VERSION_PATHS } from './browser/version.js';
import { OWN_ROUTES, type RoutedOperation } from './handlers/handlers.js';
import { handlers } from './handlers/index.js';
import { withAbsoluteUrls } from './http/absolute-urls.js';
import { isKnown, Tagged } from './http/conditional/etag.js';
import { readInput, WARNING_HEADER } from './http/input/read-input.js';
import { sendStream } from './http/streaming.js';
import { REPEATED_HEADER, withIdempotency } from './idempotency.js';
import { REFERENCE_PATHS } from './reference/pages.js';
import {
  ByteStream,
  Bytes,
  type Call,
  type ComputerCall,
  ownerOf,
  type Params,
  resolveComputer,
  watchDeparture,
} from './requests.js';

/** Every method and path of the contract, including those that are not operations. */
const PATHS: readonly (Pick<Operation, 'administrators'> & {
  readonly method: string;
  readonly paths: readonly string[];
})[] = [
  ...Object.values(operations as Record<string, Operation>),
  {
    method: 'GET',
    paths: [...FILE_PATHS, ...PROCESS_PATHS, ...TUNNEL_PATHS, ...CDP_PATHS, ...VERSION_PATHS],
  },
  { method: 'GET', paths: [WALL_PATH] },
  { method: 'PUT', paths: FILE_PATHS },
  { method: 'POST', paths: [MCP_PATH] },
  {
    method: 'GET',
    paths: [VIEW_PATHS.page, VIEW_PATHS.socket, '/openapi.json', ...REFERENCE_PATHS],
  },
];
const ROUTED = Object.entries(operations).filter(
  ([name]) => !(OWN_ROUTES as readonly string[]).includes(name),
);

type AnyHandler = (
  call: Call<unknown, unknown> & Partial<ComputerCall<unknown, unknown>>,
) => unknown;

/** One route for each path of each operation of the contract. */
export function addRoutes(app: FastifyInstance, fleet: Fleet): void {
  for (const [name, operation] of ROUTED as [RoutedOperation, Operation][]) {
    const handler = handlers[name] as AnyHandler;
    for (const url of operation.paths) {
      app.route({
        method: operation.method,
        url,
        config: {
          ...{ access: access[name], operation: name },
          ...(operation.administrators && { administrators: true }),
        },
        handler: (request, reply) => answer(fleet, name, handler, request, reply),
      });
    }
  }
}

async function answer(
  fleet: Fleet,
  name: RoutedOperation,
  handler: AnyHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const operation: Operation = operations[name];
  const owner = ownerOf(request);
  if (operation.administrators && !mayAdminister(fleet, owner)) throw nothingHere();
  const { body, query, warning } = readInput(operation, request);
  const needed = access[name];
  const input = { ...(query as object | undefined), ...(body as object | undefined) };
  const asked = { owner, name, input };
  if (needed !== 'open' && needed.stricter) {
    checkAudited(fleet, request, asked, () => authorizeBody(fleet, owner, needed, body));
  }
  if (warning !== undefined) reply.header(WARNING_HEADER, warning);
  const left = watchDeparture(request);
  const params = request.params as Params;
  try {
    const computer = isComputerOperation(operation) ? resolveComputer(fleet, request) : undefined;
    // Refused before anything of it begins; the holder shows a sign of life.
    if (needed !== 'open' && needed.input && computer) {
      checkControl(fleet, request, asked, computer);
    }
    const call: Parameters<AnyHandler>[0] = {
      fleet,
      owner,
      params,
      body,
      query,
      headers: request.headers,
      // Made when it is read: most requests end without it.
      get signal() {
        return left.signal;
      },
      stillAllowed: () => {
        if (needed !== 'open') authorizeBody(fleet, owner, needed, body);
      },
      ...(computer && { computer }),
    };
    const affected = operation.administrators && fleet.owners.identify(params.owner ?? '');
    const subject = { name, owner, computer, input, params, call, affected };
    const { answer: given, isRepeated } = await withIdempotency(name, call, (onCreated) =>
      audited(fleet, subject, (onActions) => {
        call.onActions = onActions;
        call.onCreated = (id) => {
          call.stillAllowed();
          onCreated?.(id);
          waitsOnly(request);
        };
        return handler(call);
      }),
    );
    if (isRepeated) reply.header(REPEATED_HEADER, 'true');
    const result = given instanceof Tagged ? given.answer : given;
    if (given instanceof Tagged) {
      reply.header('etag', given.etag).headers(given.headers);
      if (isKnown(request.headers['if-none-match'], given.etag)) return reply.status(304).send();
    }
    if (result instanceof ByteStream) {
      if (result.isEndless) request.endCount?.();
      return sendStream(reply, result);
    }
    if (result instanceof Bytes) return reply.type(result.type).send(result.data);
    const text = JSON.stringify(withAbsoluteUrls(operation.response, result, request));
    return reply.type('application/json; charset=utf-8').send(text);
  } catch (error) {
    // The client has left, which is no failure of the service.
    if ((error as Error).name === 'AbortError' && left.signal.aborted) throw left.signal.reason;
    throw error;
  } finally {
    request.departureEnded?.();
  }
}

/**
 * The rest of the request waits until the computer is ready. It takes no place among its owner's
 * requests and no memory for its body meanwhile; the number of computers is limited by itself.
 */
function waitsOnly(request: FastifyRequest): void {
  request.body = undefined;
  request.endCount?.();
}

/**
 * 404, or 405 where the path exists with another method. Paths for administrators do not exist for
 * other owners.
 */
export function refuseUnknown(fleet: Fleet, request: FastifyRequest, prefix: string): never {
  const path = request.url.split('?')[0]?.slice(prefix.length) ?? '';
  const isAdministrator = mayAdminister(fleet, ownerOf(request));
  const methods = PATHS.filter(
    ({ paths, administrators = false }) =>
      (isAdministrator || !administrators) && paths.some((pattern) => matches(pattern, path)),
  ).map(({ method }) => method);
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allowed = [...new Set(methods)].join(', ');
    throw new ApiError(
      'method_not_allowed',
      `${request.method} is not possible here; use ${allowed}.`,
    );
  }
  throw nothingHere();
}

/** The error of a path that does not exist. */
export function nothingHere(): ApiError {
  return new ApiError(
    'not_found',
    'There is nothing at this path; /api/openapi.json lists what is.',
  );
}

/** True for a path below one that is for administrators. */
export function isForAdministrators({ url }: Pick<FastifyRequest, 'url'>, prefix: string): boolean {
  const roots = PATHS.filter(({ administrators }) => administrators).flatMap(({ paths }) =>
    paths.map((path) => path.split('/')[1]),
  );
  return roots.includes(url.slice(prefix.length).split(/[/?]/)[1]);
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  );
}
