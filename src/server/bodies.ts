import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.js';

/**
 * Reads JSON bodies. An empty one is no body, whatever its type says; another type is refused.
 * A `__proto__` or `constructor.prototype` in the JSON is refused with 400.
 */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([a-z0-9.+-]+\+)?json\b/i,
    { parseAs: 'string' },
    (request, body, done) => {
      const text = typeof body === 'string' ? body : body.toString();
      if (text.trim() === '') done(null, undefined);
      else parse(request, text, done);
    },
  );
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(
      new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.'),
    );
  });
}

/** Does the request announce a body? It may not have been read. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}
