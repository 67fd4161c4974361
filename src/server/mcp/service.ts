import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ApiError,
  decodeRemedy,
  type ErrorCode,
  errorCatalogue,
  REMEDY_HEADER,
} from '../../contract/errors.js';
import { routes } from '../../contract/routes.js';
import type { Service } from '../../mcp/service.js';
import { requestOfTool } from '../requests.js';

type Parameters = Readonly<Record<string, string>>;

/**
 * The service as tools use it: each call is a request of its own with the key of `request`, so that
 * rights, limits and the audit log apply to it as to any other. It ends when the client has left.
 */
export function ownService(
  app: FastifyInstance,
  request: FastifyRequest,
  clientLeft: AbortSignal,
): Service {
  const { authorization = '', host = '' } = request.headers;
  const send: Service['request'] = async (operation, { params = {}, query, body, signal } = {}) => {
    const { method, paths } = routes[operation];
    const left = signal ? AbortSignal.any([signal, clientLeft]) : clientLeft;
    const answer = await requestOfTool(left, (headers) =>
      app.inject({
        method,
        url: `${request.server.prefix}${pathOf(paths, params)}`,
        query: textual(query),
        headers: { authorization, host, accept: 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      }),
    );
    if (answer.statusCode === 200) return answer.json();
    throw errorOf(answer.json(), answer.headers);
  };
  return { request: send };
}

function pathOf(paths: readonly string[], params: Parameters): string {
  const names = Object.keys(params);
  const path = paths.find((candidate) => {
    const wanted = [...candidate.matchAll(/:([a-z]+)/g)].map(([, name = '']) => name);
    return wanted.length === names.length && wanted.every((name) => names.includes(name));
  });
  if (path === undefined) throw new TypeError(`no path takes ${names.join(', ')}`);
  return path.replaceAll(/:([a-z]+)/g, (_, name: string) => segment(params[name] ?? ''));
}

function segment(value: string): string {
  // Taken for a directory of the path, however it is encoded.
  if (value === '.' || value === '..') {
    throw new ApiError('invalid_request', `"${value}" is no name that a model can use.`, {
      remedy: 'Use the id of the computer.',
    });
  }
  return encodeURIComponent(value.toWellFormed());
}

function textual(query: object | undefined): Record<string, string> {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function errorOf(body: { readonly error?: unknown }, headers: NodeJS.Dict<unknown>): ApiError {
  const code = String(headers['x-error-code']);
  const remedy = headers[REMEDY_HEADER];
  const isKnown = (text: string): text is ErrorCode => Object.hasOwn(errorCatalogue, text);
  return new ApiError(isKnown(code) ? code : 'internal', String(body.error), {
    ...(typeof remedy === 'string' ? { remedy: decodeRemedy(remedy) } : {}),
  });
}
