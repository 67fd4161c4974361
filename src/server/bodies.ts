import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.js';

/** Levels of lists and objects that a body may have; the contract's have five. */
const DEEPEST = 64;

/**
 * Reads JSON bodies. An empty one is no body, whatever its type says; another type is refused.
 * A `__proto__` or `constructor.prototype` in the JSON is refused with 400, and so is what is
 * nested more than {@link DEEPEST} levels deep.
 */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([a-z0-9.+-]+\+)?json\b/i,
    { parseAs: 'string' },
    (request, body, done) => {
      const text = typeof body === 'string' ? body : body.toString();
      if (text.trim() === '') return done(null, undefined);
      parse(request, text, (error, value) => {
        if (error === null && isDeep(value)) done(tooDeep());
        else done(error, value);
      });
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
 * A client that waits to be asked for its body (`Expect: 100-continue`) is asked when it is known
 * who it is. Node itself would ask before anybody has looked at the request.
 */
export function askForBodies(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  app.addHook('preParsing', async (request, reply, payload) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
    return payload;
  });
}
