import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Computer } from '../../contract/resources.js';
import { View } from '../../contract/sockets/view.js';

/** The resources that have a `url`, which the fleet gives relative to the base address. */
const WITH_URL: readonly z.ZodType[] = [Computer, View];

/**
 * Makes the URLs of an answer absolute, if `schema` is a resource with a URL or has a list of
 * `computers`. The base address depends on the request.
 */
export function withAbsoluteUrls(
  schema: z.ZodType,
  answer: unknown,
  request: FastifyRequest,
): unknown {
  if (WITH_URL.includes(schema)) return absolute(answer, request);
  const list = schema instanceof z.ZodObject ? schema.shape.computers : undefined;
  if (!(list instanceof z.ZodArray) || list.element !== Computer) return answer;
  const { computers } = answer as { readonly computers: readonly unknown[] };
  return {
    ...(answer as object),
    computers: computers.map((computer) => absolute(computer, request)),
  };
}

function absolute(resource: unknown, request: FastifyRequest): unknown {
  const { url } = resource as { readonly url: string };
  return { ...(resource as object), url: `${baseUrl(request)}${url}` };
}

/** The base address that the client used, or that its proxy reports. */
export function baseUrl({ headers, server }: FastifyRequest): string {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
  const scheme = forwarded?.trim() === 'https' ? 'https' : 'http';
  // checkOrigin has accepted the host.
  return `${scheme}://${headers.host}${server.prefix}`;
}
