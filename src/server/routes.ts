import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../contract/access/rights.js';
import { ApiError } from '../contract/errors.js';
import type { Operation } from '../contract/operations/operation.js';
import { access, endpoints, isComputerOperation, operations } from '../contract/operations.js';
import { VIEW_PATHS } from '../contract/sockets/view.js';
import type { OnCreated } from '../fleet/computers/idempotency.js';
import type { Fleet } from '../fleet/fleet.js';
import type { ComputerRecord } from '../fleet/store/records.js';
import { authorizeBody, mayAdminister } from './access/authorization.js';
import { recordRefusal } from './access/refusals.js';
import { audited } from './audit-requests.js';
import { VERSION_PATHS } from './browser/version.js';
import { OWN_ROUTES, type RoutedOperation } from './handlers/handlers.js';
import { handlers } from './handlers/index.js';
import { type Place, placeOf, withAbsoluteUrls } from './http/absolute-urls.js';
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

/** The paths of an operation, with those for older clients. */
function pathsOf({ paths, aliases = [] }: Pick<Operation, 'paths' | 'aliases'>): string[] {
  return [...paths, ...aliases];
}

/** Every method and path of the contract, including those that are not operations. */
const PATHS: readonly (Pick<Operation, 'administrators'> & {
  readonly method: string;
  readonly paths: readonly string[];
})[] = [
  ...Object.values(endpoints).map((endpoint) => ({ ...endpoint, paths: pathsOf(endpoint) })),
  { method: 'GET', paths: VERSION_PATHS },
  {
    method: 'GET',
    paths: [
      VIEW_PATHS.page,
      VIEW_PATHS.socket,
      VIEW_PATHS.sound,
      '/openapi.json',
      ...REFERENCE_PATHS,
    ],
  },
];
const ROUTED = Object.entries(operations).filter(
  ([name]) => !(OWN_ROUTES as readonly string[]).includes(name),
);

type AnyHandler = (
  call: Call<unknown, unknown> & Partial<ComputerCall<unknown, unknown>>,
) => unknown;

/** What is known of an operation before any request. */
interface Route {
  readonly name: RoutedOperation;
  readonly operation: Operation;
  readonly handler: AnyHandler;
  readonly needed: Access | 'open';
  readonly isOfComputer: boolean;
  readonly place: Place;
}

/** One route for each path of each operation of the contract. */
export function addRoutes(app: FastifyInstance, fleet: Fleet): void {
  for (const [name, operation] of ROUTED as [RoutedOperation, Operation][]) {
    const isOfComputer = isComputerOperation(operation);
    const route: Route = {
      name,
      operation,
      handler: handlers[name] as AnyHandler,
      needed: access[name],
      isOfComputer,
      place: placeOf(operation.response),
    };
    for (const url of pathsOf(operation)) {
      app.route({
        method: operation.method,
        url,
        config: {
          access: access[name],
          operation: name,
          ...(operation.administrators && { administrators: true }),
        },
        handler: (request, reply) => answer(fleet, route, request, reply),
      });
    }
  }
}

async function answer(
  fleet: Fleet,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { name, operation, handler, needed } = route;
  const owner = ownerOf(request);
  if (operation.administrators && !mayAdminister(fleet, owner)) throw nothingHere();
  const { body, query, warning } = readInput(operation, request);
  if (warning !== undefined) reply.header(WARNING_HEADER, warning);
  const params = request.params as Params;
  const input = { ...(query as object | undefined), ...(body as object | undefined) };
  let computer: ComputerRecord | undefined;
  try {
    if (needed !== 'open' && needed.stricter) authorizeBody(fleet, owner, needed, body);
    if (route.isOfComputer) computer = resolveComputer(fleet, request);
    // Refused before anything of it begins; the holder shows a sign of life.
    if (needed !== 'open' && needed.input && computer) fleet.control.check(computer.id, owner);
  } catch (error) {
    recordRefusal(fleet, request, { owner, name, input }, error);
    throw error;
  }
  let left: ReturnType<typeof watchDeparture> | undefined;
  const call: Parameters<AnyHandler>[0] = {
    fleet,
    owner,
    params,
    body,
    query,
    headers: request.headers,
    // Made when it is read: many requests end without it.
    get signal() {
      left ??= watchDeparture(request);
      return left.signal;
    },
    stillAllowed: () => {
      if (needed !== 'open') authorizeBody(fleet, owner, needed, body);
    },
    ...(computer && { computer }),
  };
  const work = (onCreated?: OnCreated) => {
    if (operation.audit === undefined) return handler(call);
    const affected = operation.administrators && fleet.owners.identify(params.owner ?? '');
    const subject = { name, owner, computer, input, params, call, affected };
    return audited(fleet, subject, (onActions) => {
      call.onActions = onActions;
      call.onCreated = (id) => {
        call.stillAllowed();
        onCreated?.(id);
        waitsOnly(request);
      };
      return handler(call);
    });
  };
  try {
    if (!operation.idempotent) return send(route, request, reply, await work());
    const { answer: given, isRepeated } = await withIdempotency(name, call, work);
    if (isRepeated) reply.header(REPEATED_HEADER, 'true');
    return send(route, request, reply, given);
  } catch (error) {
    // The client has left, which is no failure of the service.
    if ((error as Error).name === 'AbortError' && left?.signal.aborted) throw left.signal.reason;
    throw error;
  } finally {
    request.departureEnded?.();
  }
}

/** Sends what a handler has returned. */
function send(
  { place }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  given: unknown,
): FastifyReply {
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
  const answer = place === 'nowhere' ? result : withAbsoluteUrls(place, result, request);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
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
