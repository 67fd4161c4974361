import type { FastifyRequest } from 'fastify';

/**
 * An answer whose addresses of the live view, `url` of a computer, of the computers in a list and
 * of a ticket, are whole: the fleet knows them relative to the base address only, for by what name
 * a client reaches the service is known to the request alone.
 */
export function withAddresses(answer: unknown, request: FastifyRequest): unknown {
  if (!isRecord(answer)) return answer;
  const { url, computers } = answer;
  if (typeof url === 'string' && url.startsWith('/view/')) {
    return { ...answer, url: `${baseAddress(request)}${url}` };
  }
  if (!Array.isArray(computers)) return answer;
  return { ...answer, computers: computers.map((computer) => withAddresses(computer, request)) };
}

/** The base address that the client used, as far as a proxy in between tells. */
function baseAddress(request: FastifyRequest): string {
  const forwarded = String(request.headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  const scheme = forwarded === 'https' ? 'https' : 'http';
  // The host has been checked to be one of this service's.
  return `${scheme}://${request.headers.host}${prefixOf(request)}`;
}

function prefixOf(request: FastifyRequest): string {
  return request.server.prefix;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
