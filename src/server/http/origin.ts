import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Which names this service is reached by. */
export interface Reachable {
  /** Host names that are allowed besides loopback, without a port. */
  readonly hosts: readonly string[];
  /** Origins of other web pages that may use the service, such as `https://app.example.com`. */
  readonly origins?: readonly string[];
  /** Host headers that those of published ports are like. */
  readonly published?: RegExp;
}

/** True if the client of a proxy has used TLS. */
export function isOverTls({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
  return forwarded?.trim() === 'https';
}

/** The last Host header and its name without a port: most requests have the same, and parsing takes time. */
let last = { host: '', name: '' };

/** A Host header without its port; undefined if it is not valid. */
function hostName(host: string): string | undefined {
  if (host !== last.host) {
    if (!URL.canParse(`http://${host}`)) return undefined;
    last = { host, name: host.replace(/:\d{1,5}$/, '').toLowerCase() };
  }
  return last.name;
}

/**
 * Rejects foreign Host or Origin headers: no Host or several, a Host that is not one of this
 * service's names (DNS rebinding), or another page's Origin. Returns the Origin of a page that is
 * allowed by name.
 */
export function checkOrigin(request: IncomingMessage, reachable: Reachable): string | undefined {
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  if (host === undefined || hosts.length !== 1 || !isOurs(host, reachable)) {
    if (hosts.length === 1 && reachable.published?.test(host ?? '')) {
      const message = 'No port is published here: the publication has ended, or the link is wrong.';
      throw new ApiError('not_found', message, { remedy: 'See: vc publication ls' });
    }
    throw new ApiError('invalid_request', "The Host header is not one of this service's names.", {
      remedy: "Allow the name on the service's host: vc serve --allow-host NAME",
    });
  }
  if (request.headers.origin === undefined) return undefined;
  const origins = headerValues(request, 'origin');
  const foreign = origins.filter(
    (origin) => origin !== `http://${host}` && origin !== `https://${host}`,
  );
  const [origin] = foreign;
  if (origin === undefined) return undefined;
  if (origins.length === 1 && reachable.origins?.includes(origin)) return origin;
  throw new ApiError('invalid_request', 'Requests from other web pages are refused.', {
    remedy: "Allow the page on the service's host: vc serve --allow-origin ORIGIN",
  });
}

/** Headers of answers that a page may read besides those that every page may. */
const EXPOSED = [
  'x-request-id',
  'x-api-version',
  'x-error-code',
  'x-error-remedy',
  'x-warning',
  'x-budget',
  'retry-after',
  'etag',
  'last-modified',
  'accept-ranges',
  'content-range',
  'x-file-mode',
  'idempotent-replayed',
].join(', ');
/** Headers that a page may send. */
const SENT = [
  'authorization',
  'content-type',
  'accept',
  'idempotency-key',
  'last-event-id',
  'if-none-match',
  'if-range',
  'range',
].join(', ');
/** Seconds that a browser may keep the answer to a preflight request. */
const PREFLIGHT_SECONDS = 600;

/**
 * Lets a page of `origin` read the answer (CORS). Never with credentials: a page has to have a key of
 * its own, and sends no cookies.
 */
export function allowPage(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED);
  reply.header('vary', 'origin');
}

/** Whether a browser asks if a page may send a request; it sends no key then. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
  reply.header('access-control-allow-headers', SENT);
  reply.header('access-control-max-age', String(PREFLIGHT_SECONDS));
  if (headers['access-control-request-private-network'] === 'true') {
    reply.header('access-control-allow-private-network', 'true');
  }
  return reply.status(204).send();
}

function isOurs(host: string, reachable: Reachable): boolean {
  const name = hostName(host);
  if (name === undefined) return false;
  return LOOPBACK.includes(name) || reachable.hosts.some((known) => known.toLowerCase() === name);
}

/** Every value of a header: Node keeps only the first Host of several in `headers`. */
export function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [key = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}
