import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { type JsonTextBounds, textBeyond } from '../../lib/json/bounds.js';

/** Largest body that is read into memory, in bytes. */
export const BODY_LIMIT = 8 * 1024 * 1024;

/** Bytes that are reserved for a body before any has come. */
const FIRST_BYTES = 64 * 1024;

/**
 * What a body or message may hold. The contract needs five levels, 256 fields of an object, 27,000
 * fields for a batch of commands with many variables, and 300,000 values for one of drags on long
 * paths. Making and checking a value takes up to two microseconds, in which nobody else is answered.
 */
const BOUNDS: JsonTextBounds = {
  levels: 64,
  values: 400_000,
  fields: 4_000,
  allFields: 50_000,
};

/**
 * Reads JSON bodies. An empty body of any type is an empty object; other types are refused.
 * Refuses JSON with `__proto__` or `constructor.prototype`, or beyond the bounds, with 400.
 */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  const json = /^application\/([a-z0-9.+-]+\+)?json\b/i;
  app.addContentTypeParser(json, (request, payload, done) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > BODY_LIMIT) return done(tooLarge());
    // One buffer: Fastify would keep one for each chunk, which may have one byte.
    let body = Buffer.allocUnsafe(Math.min(announced, FIRST_BYTES));
    let length = 0;
    const take = (chunk: Buffer) => {
      const end = length + chunk.length;
      if (end > BODY_LIMIT) return finish(tooLarge());
      if (end > body.length) {
        body = Buffer.concat([body.subarray(0, length)], Math.min(BODY_LIMIT, 2 * end));
      }
      length += chunk.copy(body, length);
    };
    const finish = (error?: Error) => {
      payload.off('data', take).off('end', finish);
      if (error !== undefined) return done(error);
      const text = body.toString('utf8', 0, length);
      if (text.trim() === '') return done(null, undefined);
      const excess = excessOf(text, 'body');
      if (excess === undefined) parse(request, text, done);
      else done(excess);
    };
    payload
      .on('data', take)
      .once('end', finish)
      .once('error', () => finish(cutOff()));
  });
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (!hasBody(request.raw)) return done(null, undefined);
    const message = 'Send the body as Content-Type: application/json.';
    done(new ApiError('unsupported_media_type', message));
  });
}

function cutOff(): ApiError {
  return new ApiError('invalid_request', 'The connection ended before the body.');
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', 'The body is too large; the limit is 8 MiB.');
}

/** Does the request announce a body? It may not have been read. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/**
 * Answers `Expect: 100-continue` after authentication. By default Node answers it at once.
 */
export function askForBodies(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { expect } = request.headers;
    if (expect !== undefined && /^100-continue$/i.test(expect)) reply.raw.writeContinue();
    done(null, payload);
  });
}

/** The error of a JSON text beyond the bounds; undefined if it is within them. */
export function excessOf(text: string, what: 'body' | 'message'): ApiError | undefined {
  switch (textBeyond(text, BOUNDS)) {
    case 'levels':
      return refusal(`The ${what} is nested more than ${BOUNDS.levels} levels deep.`);
    case 'values':
      return refusal(`The ${what} has more than ${BOUNDS.values} values.`);
    case 'fields':
      return refusal(`An object in the ${what} has more than ${BOUNDS.fields} fields.`);
    case 'allFields':
      return refusal(`The objects in the ${what} have more than ${BOUNDS.allFields} fields.`);
    default:
      return undefined;
  }
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_request', message);
}
