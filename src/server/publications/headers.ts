import type { IncomingMessage } from 'node:http';
import { isOverTls } from '../http/origin.js';

/** Those of one connection (RFC 9110, section 7.6.1), and trailers, which are not passed on. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that `Connection` cannot remove: they say where a request goes and where its body ends. */
const KEPT = new Set(['host', 'content-length']);
/** Set or answered by this service. */
const OWN_OF_REQUEST = new Set([
  'expect',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);
/** `Clear-Site-Data` would also end sessions of other hosts of the domain, such as the dashboard's. */
const OWN_OF_ANSWER = new Set(['clear-site-data']);

/** Cookies of this service: of the ticket, and of sessions of the dashboard. */
const OWN_COOKIE = /^\s*(__Host-)?vc_(publication|session_\d+)\s*=/i;
/** API keys and other secrets of this service, and a key as a subprotocol of a WebSocket. */
const SECRET = /v[clst]_[0-9a-z]{32}|vc\.key\./i;

/** Names and values in turn. */
type RawHeaders = string[];

/** The headers of a request as the guest gets them. */
export function guestHeaders(request: IncomingMessage, kind: 'request' | 'upgrade'): RawHeaders {
  const { headers, method = '', socket } = request;
  const sent: RawHeaders = [];
  for (const [name, value] of passedOn(request.rawHeaders, headers.connection)) {
    const key = name.toLowerCase();
    if (OWN_OF_REQUEST.has(key)) continue;
    if (key !== 'cookie') {
      if (!SECRET.test(value)) sent.push(name, value);
      continue;
    }
    const cookies = withoutOwn(value);
    if (cookies !== '') sent.push(name, cookies);
  }
  const from = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
  if (from !== '') sent.push('X-Forwarded-For', from);
  sent.push('X-Forwarded-Host', headers.host ?? '');
  sent.push('X-Forwarded-Proto', isOverTls(request) ? 'https' : 'http');
  if (kind === 'upgrade') return [...sent, ...upgradeHeaders(request)];
  sent.push('Connection', 'close');
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (isChunked) sent.push('Transfer-Encoding', 'chunked');
  // Node would send an empty body in chunks.
  else if (headers['content-length'] === undefined && !/^(GET|HEAD|OPTIONS|DELETE)$/.test(method)) {
    sent.push('Content-Length', '0');
  }
  return sent;
}

/** Of a request for an upgrade, and of the answer that agrees. */
export function upgradeHeaders({ headers: { upgrade = '' } }: IncomingMessage): RawHeaders {
  return ['Connection', 'Upgrade', 'Upgrade', upgrade];
}

/** The headers of the guest's answer as the client gets them. */
export function clientHeaders(answer: IncomingMessage): RawHeaders {
  const sent: RawHeaders = [];
  for (const [name, value] of passedOn(answer.rawHeaders, answer.headers.connection)) {
    const key = name.toLowerCase();
    if (OWN_OF_ANSWER.has(key)) continue;
    if (key === 'set-cookie' && OWN_COOKIE.test(value)) continue;
    sent.push(name, key === 'set-cookie' ? ofThisHost(value) : value);
  }
  return sent;
}

/** Tickets that the request shows: in its cookies, if no other page has caused it, or as a token. */
export function ticketsOf(request: IncomingMessage): string[] {
  const { authorization = '', cookie = '' } = request.headers;
  const [, token] = /^bearer +(\S{1,256}) *$/i.exec(authorization) ?? [];
  const start = `${cookieName(request)}=`;
  const pairs = cookie.split(';').map((pair) => pair.trim());
  const ofCookies = pairs
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  return [...(token === undefined ? [] : [token]), ...(isOfOwnPage(request) ? ofCookies : [])];
}

/** `Set-Cookie` with a ticket, for this host alone. */
export function ticketCookie(request: IncomingMessage, ticket: string): string {
  const secure = isOverTls(request) ? '; Secure' : '';
  return `${cookieName(request)}=${ticket}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** With the prefix, no other host of the domain can set it. */
function cookieName(request: IncomingMessage): string {
  return isOverTls(request) ? '__Host-vc_publication' : 'vc_publication';
}

/**
 * Whether the user or a page of this host sends the request. The cookie also comes with what the page
 * of another host of the same domain causes, such as another publication.
 */
function isOfOwnPage(request: IncomingMessage): boolean {
  const { headers, method } = request;
  const { host, origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return false;
  }
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site === 'none' || site === 'same-origin') return true;
  // A link.
  return method === 'GET' && headers['sec-fetch-dest'] === 'document';
}

/** Name and value of each header that is not of one connection only. */
function* passedOn(raw: readonly string[], connection = ''): Generator<[string, string]> {
  const named = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    const key = name.toLowerCase();
    if (!HOP_BY_HOP.has(key) && (KEPT.has(key) || !named.has(key))) yield [name, value];
  }
}

function withoutOwn(cookies: string): string {
  const others = cookies.split(';').filter((pair) => !OWN_COOKIE.test(pair));
  return others.join(';').trim();
}

/** Without `Domain`: a cookie of the domain would be sent to the dashboard, too. */
function ofThisHost(cookie: string): string {
  const parts = cookie.split(';');
  return parts.filter((part, at) => at === 0 || !/^\s*domain\s*(=|$)/i.test(part)).join(';');
}
