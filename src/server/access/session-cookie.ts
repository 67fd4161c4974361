import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Identity, Owner } from '../../fleet/accounts/api-keys.js';
import type { OpenSession } from '../../fleet/accounts/sessions.js';
import type { Fleet } from '../../fleet/fleet.js';
import { authenticate, identityOfKey, type KeyCarrier } from '../http/authentication.js';
import { isOverTls } from '../http/origin.js';

/** The name of a session's cookie, without its port. */
const COOKIE_NAME = 'vc_session_';
/** Shows that a script of the page itself sends a request, where the browser does not say so. */
const PAGE_HEADER = 'x-vc-page';
const SECRET = /^vs_[0-9a-z]{32}$/;

/**
 * Finds the identity of a request without an Authorization header, from its session cookie or the key
 * of its page. A cookie alone is not enough: browsers also send it with requests that other pages
 * cause. Throws `unauthorized`.
 */
export function identify(fleet: Fleet, request: KeyCarrier): Identity {
  const session = sessionOf(fleet, request);
  if (session === undefined) return authenticate(fleet.apiKeys, request);
  const { owner } = session;
  if (isFromPage(request)) return { owner, key: fleet.apiKeys.own(owner) };
  throw new ApiError('unauthorized', 'A session works only for requests of the web page itself.', {
    remedy: 'Send an API key: "Authorization: Bearer <API_KEY>".',
  });
}

/** The owner of a request that carries a key, or a session that is good for it. */
export function ownerIfIdentified(fleet: Fleet, request: KeyCarrier): Owner | undefined {
  if (request.headers.authorization !== undefined) {
    return identityOfKey(fleet.apiKeys, request)?.owner;
  }
  const session = sessionOf(fleet, request);
  return session !== undefined && isFromPage(request) ? session.owner : undefined;
}

/** The session of the request's cookie, if it is open. */
export function sessionOf(fleet: Fleet, request: KeyCarrier): OpenSession | undefined {
  const secret = secretOf(request);
  return secret === undefined ? undefined : fleet.sessions.find(secret);
}

/** The secret of a session in the request's cookie. */
export function secretOf(request: KeyCarrier): string | undefined {
  const secret = cookieOf(request, nameOf(request));
  return secret !== undefined && SECRET.test(secret) ? secret : undefined;
}

/**
 * Whether the web page of this service sends the request. For a WebSocket the Origin says so. Otherwise
 * `Sec-Fetch-Site` does, or where browsers do not send that (plain HTTP between machines) the Origin of
 * a write and the page's own header of a read, which other pages cannot send.
 */
export function isFromPage(request: KeyCarrier): boolean {
  const { headers, method } = request;
  const isOwnOrigin =
    headers.origin === `${isOverTls(request) ? 'https' : 'http'}://${headers.host}`;
  if (headers.upgrade !== undefined) return isOwnOrigin;
  if (headers.origin !== undefined && !isOwnOrigin) return false;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && !isTyped(request)) return false;
  const site = headers['sec-fetch-site'];
  // `none`: the user has entered the address.
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none');
  return isOwnOrigin || (isRead && headers[PAGE_HEADER] === '1');
}

/** A type that no form can send. Files are bytes. */
function isTyped({ headers, method }: KeyCarrier): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' || (method === 'PUT' && type === 'application/octet-stream');
}

/** Gives the browser the session's secret; scripts cannot read it, and other sites cannot cause it. */
export function setCookie(request: FastifyRequest, reply: FastifyReply, secret: string): void {
  const secure = isOverTls(request) ? '; Secure' : '';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${secure}`;
  reply.header('set-cookie', `${nameOf(request)}=${secret}; ${attributes}`);
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, '; Max-Age=0');
}

/** The port is in it: browsers send a cookie to every port of a host. */
function nameOf(request: KeyCarrier): string {
  const port = /:(\d{1,5})$/.exec(request.headers.host ?? '')?.[1];
  if (!isOverTls(request)) return `${COOKIE_NAME}${port ?? '80'}`;
  return `__Host-${COOKIE_NAME}${port ?? '443'}`;
}

function cookieOf({ headers }: KeyCarrier, name: string): string | undefined {
  const start = `${name}=`;
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const [value, ...others] = pairs.filter((pair) => pair.startsWith(start));
  // A page on another port of the name can set a second one for some paths.
  return others.length > 0 ? undefined : value?.slice(start.length);
}
