import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Login } from '../../contract/access/sessions.js';
import { Computer, ForkAnswer } from '../../contract/resources.js';
import { Browser } from '../../contract/sockets/browser.js';
import { View } from '../../contract/sockets/view.js';
import { isOverTls } from './origin.js';

/** What of an answer has URLs. */
export type Place = 'resource' | 'resource or list' | 'page' | 'browser' | 'list' | 'nowhere';

/** What of an answer of the schema has URLs: a resource, or a list of `computers`. */
export function placeOf(schema: z.ZodType): Place {
  if (schema === Computer || schema === View) return 'resource';
  if (schema === ForkAnswer) return 'resource or list';
  if (schema === Login) return 'page';
  if (schema === Browser) return 'browser';
  const list = schema instanceof z.ZodObject ? schema.shape.computers : undefined;
  return list instanceof z.ZodArray && list.element === Computer ? 'list' : 'nowhere';
}

/** Makes the URLs of an answer absolute. The base address depends on the request. */
export function withAbsoluteUrls(where: Place, answer: unknown, request: FastifyRequest): unknown {
  const isList = 'computers' in (answer as object);
  if (where === 'resource' || (where === 'resource or list' && !isList))
    return absolute(answer, request);
  // The web page is beside the interface, not below it, and needs a host name of its own.
  if (where === 'page') return absolute(answer, request, origin(request));
  if (where === 'browser') {
    const { ws_url: url } = answer as Browser;
    return { ...(answer as Browser), ws_url: socketUrl(request, url) };
  }
  const { computers } = answer as { readonly computers: readonly unknown[] };
  return {
    ...(answer as object),
    computers: computers.map((computer) => absolute(computer, request)),
  };
}

function absolute(resource: unknown, request: FastifyRequest, base = baseUrl(request)): unknown {
  const { url } = resource as { readonly url: string };
  return { ...(resource as object), url: `${base}${url}` };
}

/** The address of a WebSocket below the base address. */
export function socketUrl(request: FastifyRequest, path: string): string {
  return `${baseUrl(request).replace(/^http/, 'ws')}${path}`;
}

/** The base address that the client used, or that its proxy reports. */
export function baseUrl(request: FastifyRequest): string {
  return `${origin(request)}${pathOf(request)}${request.server.prefix}`;
}

/** A path of a proxy below which it serves the service, such as `/vc`. */
const PREFIX = /^(?:\/[\w~-][\w.~-]*){1,8}$/;

function pathOf({ headers }: FastifyRequest): string {
  const prefix = String(headers['x-forwarded-prefix'] ?? '');
  return prefix.length <= 256 && PREFIX.test(prefix) ? prefix : '';
}

function origin({ headers }: FastifyRequest): string {
  // checkOrigin has accepted the host.
  return `${isOverTls({ headers }) ? 'https' : 'http'}://${headers.host}`;
}
