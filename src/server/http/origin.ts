import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost, isPageHost } from '../../contract/access/page-host.js';
import { ApiError } from '../../contract/errors.js';
import type { PageHosts } from '../access/page-hosts.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Which names this service is reached by. */
export interface Reachable {
  /** Host names that are allowed besides loopback, without a port. */
  readonly hosts: readonly string[];
  /** The host names of its web page without TLS, of this start alone. */
  readonly pageHosts: PageHosts;
  /** Origins of other web pages that may use the service, such as `https://app.example.com`. */
  readonly origins?: readonly string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    /** See {@link Reachable}. */
    readonly pageHosts: PageHosts;
  }
}

type Received = Pick<IncomingMessage, 'headers'>;

/** Whether it comes from a client of a proxy that ends TLS. */
export function isOverTls({ headers }: Received): boolean {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
  return forwarded?.trim() === 'https';
}

/**
 * Whether the client has used an address of loopback that is not that of a link to the web page. Without
 * TLS, any user of the host can take it while the service is stopped. With TLS, browsers send its cookies
 * to all ports of this machine, also to servers of other users.
 */
export function isCommonLoopback(request: Received): boolean {
  const name = hostName(request.headers.host);
  return isLoopbackHost(name) && (isOverTls(request) || !isPageHost(name));
}

interface HostFacts {
  readonly host: string;
  /** Without its port. */
  readonly name: string;
  readonly isValid: boolean;
  readonly isPage: boolean;
}

/** Of the last request: most have the same Host, and to look at it takes time. */
let last: HostFacts = { host: '', name: '', isValid: false, isPage: false };

function factsOf(host: string): HostFacts {
  if (host === last.host) return last;
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  last = { host, name, isValid: URL.canParse(`http://${host}`), isPage: isPageHost(name) };
  return last;
}

/** A Host header without its port. */
export function hostName(host = ''): string {
  return factsOf(host).name;
}

/** Whether a Host header has a name of the web page, of this start or an earlier one. */
export function isPageName(host = ''): boolean {
  return factsOf(host).isPage;
}

/**
 * Rejects foreign Host or Origin headers: no Host or several, a Host that is not one of this
 * service's names (DNS rebinding), or another page's Origin. Returns the Origin of a page that is
 * allowed by name. Throws `unauthorized` for the name that the web page had before the service was
 * started again, unless `isPage`: what is asked for is the page itself, which says so.
 */
export function checkOrigin(
  request: IncomingMessage,
  reachable: Reachable,
  isPage = false,
): string | undefined {
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  const isOne = host !== undefined && hosts.length === 1 && factsOf(host).isValid;
  if (!isOne || !isOurs(host, reachable)) {
    throw new ApiError('invalid_request', "The Host header is not one of this service's names.", {
      remedy: "Allow the name on the service's host: vc serve --allow-host NAME",
    });
  }
  const name = hostName(host);
  if (isPageName(host) && !reachable.pageHosts.isOurs(name) && !isPage) {
    const message = 'This address of the web page ended when the service was stopped.';
    throw new ApiError('unauthorized', message, { remedy: 'Get a new one: vc dashboard' });
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
  ...[
    'x-request-id',
    'x-api-version',
    'x-error-code',
    'x-error-remedy',
    'x-warning',
    'retry-after',
  ],
  ...['etag', 'last-modified', 'accept-ranges', 'content-range', 'x-file-mode'],
  'idempotent-replayed',
].join(', ');
/** Headers that a page may send. */
const SENT = [
  ...['authorization', 'content-type', 'accept', 'idempotency-key', 'last-event-id'],
  ...['if-none-match', 'if-range', 'range'],
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
  if (LOOPBACK.includes(name) || isPageHost(name)) return true;
  return reachable.hosts.some((known) => known.toLowerCase() === name);
}

/** Every value of a header: Node keeps only the first Host of several in `headers`. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const { rawHeaders } = request;
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [key = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]];
    if (key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}
