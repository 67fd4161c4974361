import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';

/** Maximum nesting of a body; the contract needs five levels. */
const DEEPEST = 64;

/**
 * Reads JSON bodies. An empty body of any type is an empty object; other types are refused.
 * Refuses JSON with `__proto__` or `constructor.prototype`, or nested more than {@link DEEPEST}
 * levels deep, with 400.
 */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([a-z0-9.+-]+\+)?json\b/i,
    { parseAs: 'string' },
    (request, body, done) => {
      const text = typeof body === 'string' ? body : body.toString();
      if (text.trim() === '') return done(null, {});
      parse(request, text, (error, value) => {
        if (error === null && isDeep(value)) done(tooDeep());
        else done(error, value);
      });
    },
  );
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_request, body, done) => {
    if (body.length === 0) return done(null, {});
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

function tooDeep(): ApiError {
  return new ApiError('invalid_request', `The body is nested more than ${DEEPEST} levels deep.`);
}

/** Goes down level by level: as deep as it is, no call is inside another. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === DEEPEST) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Answers `Expect: 100-continue` after authentication. By default Node answers it at once.
 */
export function askForBodies(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  app.addHook('preParsing', async (request, reply, payload) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
    return payload;
  });
}
