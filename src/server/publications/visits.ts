import { setMaxListeners } from 'node:events';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import { remedyOf } from '../../fleet/errors/remedies.js';
import type { Fleet } from '../../fleet/fleet.js';
import { TICKET_PARAMETER } from '../../fleet/publications/publications.js';
import type { ComputerRecord, PublicationRecord } from '../../fleet/store/records.js';
import { onAbort } from '../../lib/async/abort.js';
import { toApiError } from '../http/errors.js';
import { OwnerCount } from '../http/limits.js';
import { closeLater } from '../http/lingering-close.js';
import { headerValues, isOverTls } from '../http/origin.js';
import { exchange, type Visit } from './exchange.js';
import { ticketCookie, ticketsOf } from './headers.js';

/** Requests and WebSockets at once to the publications of one owner: each may hold 4 MiB of a channel. */
const MOST_AT_ONCE = 128;

/** HTTP statuses of errors on the way to a program in a computer, where the contract has others. */
const STATUSES: Partial<Record<ApiError['code'], number>> = {
  target_failed: 502,
  guest_failed: 502,
  unsupported: 502,
  not_running: 503,
  conflict: 503,
  guest_timeout: 504,
};

interface Services {
  readonly fleet: Fleet;
  readonly app: FastifyInstance;
  readonly atOnce: OwnerCount;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Serves requests whose Host is that of a publication; all others go to the app, which refuses foreign
 * ones. Call it when the app listens to its server.
 */
export function servePublications(app: FastifyInstance, fleet: Fleet): void {
  const ending = new AbortController();
  const { signal: stopping } = ending;
  setMaxListeners(0, stopping);
  app.addHook('preClose', async () => ending.abort());
  const services = { fleet, app, atOnce: new OwnerCount(MOST_AT_ONCE), stopping };
  intercept(services, ['request', 'checkContinue'], (request, response) => ({
    request,
    response: response as ServerResponse,
  }));
  intercept(services, ['upgrade'], (request, given, head) => {
    const socket = given as Socket;
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    return { request, response, head };
  });
}

type Given = [request: IncomingMessage, to: ServerResponse | Socket, head: Buffer];

/** Has events of the server before its listeners, which get those that are for no publication. */
function intercept(
  services: Services,
  events: readonly string[],
  visitOf: (...given: Given) => Omit<Visit, 'path'>,
): void {
  const { server } = services.app;
  for (const event of events) {
    const listeners = server.listeners(event);
    server.removeAllListeners(event);
    server.on(event, (...given: Given) => {
      const publication = publicationOf(services.fleet, given[0]);
      if (publication) void serve(services, publication, visitOf(...given));
      else for (const listener of listeners) listener.apply(server, given);
    });
  }
}

function publicationOf(fleet: Fleet, request: IncomingMessage): PublicationRecord | undefined {
  const [, label] = fleet.publications.hosts.exec(request.headers.host ?? '') ?? [];
  if (label === undefined || headerValues(request, 'host').length > 1) return undefined;
  return fleet.publications.find(label.toLowerCase());
}

async function serve(
  services: Services,
  publication: PublicationRecord,
  visit: Omit<Visit, 'path'>,
): Promise<void> {
  const { fleet, atOnce, stopping } = services;
  const { request, response } = visit;
  const { socket } = request;
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The client disconnected.'));
  const end = () => socket.destroy();
  socket.once('close', leave);
  const dispose = [
    () => socket.off('close', leave),
    fleet.publications.whileOpen(publication, end),
    onAbort(stopping, end),
  ];
  let computer: ComputerRecord | undefined;
  try {
    const path = enter(services, publication, visit);
    if (path === undefined) return;
    const release = atOnce.take(publication.owner_id);
    if (release === undefined) throw tooMany();
    dispose.push(release);
    const owner = { id: publication.owner_id, keyId: publication.key_id };
    computer = fleet.computers.find(owner, { id: publication.computer_id });
    await reach(fleet, computer, publication.port, { ...visit, path }, left.signal);
  } catch (error) {
    if (response.headersSent || socket.destroyed) socket.destroy();
    else refuse(services, visit, error as Error, computer);
  } finally {
    for (const each of dispose) each();
  }
}

function reach(
  { actions }: Fleet,
  computer: ComputerRecord,
  port: number,
  visit: Visit,
  left: AbortSignal,
): Promise<void> {
  return actions.shell(
    computer,
    async (shell) => {
      const guest = await shell.connect(port);
      const forget = onAbort(left, () => guest.destroy());
      try {
        guest.on('error', () => undefined);
        await exchange(guest, visit);
      } finally {
        forget();
        guest.destroy();
      }
    },
    left,
  );
}

/**
 * The path that the guest gets; undefined if the answer was given, with a cookie for the ticket of the
 * link. Throws `unauthorized` for a request without a ticket.
 */
function enter(
  { fleet: { publications } }: Services,
  publication: PublicationRecord,
  { request, response, head }: Omit<Visit, 'path'>,
): string | undefined {
  const { url = '', method, headers } = request;
  const hasBody = headers['transfer-encoding'] ?? headers['content-length'] ?? '0';
  if ((!url.startsWith('/') && url !== '*') || (head !== undefined && hasBody !== '0')) {
    throw new ApiError('invalid_request', 'This is no request that can be passed on.', {
      remedy: 'Send a path, and no body with the header Upgrade.',
    });
  }
  if (publication.ticket_hash === null) return url;
  const { path, ticket } = withoutTicket(url);
  if (ticket !== undefined && publications.admits(publication, [ticket])) {
    if (head !== undefined || (method !== 'GET' && method !== 'HEAD')) return path;
    response.writeHead(302, {
      ...ANSWER_HEADERS,
      // Absolute: a path that begins with // would be another host.
      location: `${isOverTls(request) ? 'https' : 'http'}://${headers.host}${path}`,
      'set-cookie': ticketCookie(request, ticket),
      'referrer-policy': 'no-referrer',
    });
    response.end();
    return undefined;
  }
  if (publications.admits(publication, ticketsOf(request))) return path;
  throw new ApiError('unauthorized', 'This address is private.', {
    remedy:
      'Open the link that vc publish has printed, with cookies (curl -b ""), or send its ticket: -H "Authorization: Bearer TICKET".',
  });
}

function withoutTicket(url: string): { readonly path: string; readonly ticket?: string } {
  const at = url.indexOf('?');
  if (at < 0) return { path: url };
  const start = `${TICKET_PARAMETER}=`;
  const query = url.slice(at + 1).split('&');
  const others = query.filter((one) => !one.startsWith(start));
  const ticket = query.find((one) => one.startsWith(start))?.slice(start.length);
  if (ticket === undefined) return { path: url };
  const path = url.slice(0, at);
  return { path: others.length === 0 ? path : `${path}?${others.join('&')}`, ticket };
}

const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function tooMany(): ApiError {
  const message = `More than ${MOST_AT_ONCE} requests to published ports are being processed.`;
  return new ApiError('rate_limited', message, { remedy: 'Try again when some have ended.' });
}

/** Answers with one line of text, for people and programs. */
function refuse(
  { app }: Services,
  { request, response }: Omit<Visit, 'path'>,
  failure: Error,
  computer: ComputerRecord | undefined,
): void {
  const error = toApiError(failure);
  const { code } = error;
  if (code === 'internal') app.log.error({ err: error }, 'a request to a published port failed');
  const status = STATUSES[code] ?? error.status;
  const remedy = remedyOf(error, { computer });
  const text = [publicMessage(error), ...(remedy === undefined ? [] : [remedy])].join(' ');
  if (!request.complete) {
    response.shouldKeepAlive = false;
    closeLater(request);
  }
  response.writeHead(status, {
    ...ANSWER_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(`${text}\n`),
    'x-error-code': code,
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 429 && { 'retry-after': '1' }),
  });
  response.end(`${text}\n`);
}
