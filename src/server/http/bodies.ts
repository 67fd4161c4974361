import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { LongCaller } from '../../lib/async/next-turn.js';
import { CappedOutput } from '../../lib/streams/capped-output.js';
import { BODY_LIMIT, excessOf, fitsTurn, ownersTurn } from './body-limit.js';

/**
 * Reads JSON bodies. An empty body of any type is an empty object; other types are refused.
 * Refuses JSON with `__proto__` or `constructor.prototype`, or beyond the bounds, with 400.
 */
export function readBodies(
  app: FastifyInstance,
  inKeylessTurn: KeylessTurn,
  callerOf: CallerOf,
): void {
  // Many bodies may end in the same turn of the event loop, and what follows takes longer.
  const inTurn = ({ throttleShare, raw }: FastifyRequest, work: () => void) => {
    if (throttleShare) throttleShare.turn(work);
    else inKeylessTurn(raw.socket, work);
  };
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/([a-z0-9.+-]+\+)?json\b/i, (request, payload, done) => {
    const finish = (text: string) => {
      const excess = excessOf(text, 'body');
      if (excess === undefined) parse(request, text, done);
      else done(excess);
    };
    const take = (text: string) => {
      if (text.trim() === '') done(null, undefined);
      else if (fitsTurn(text.length)) finish(text);
      else waitForTurn(request, callerOf).then(() => finish(text), done);
    };
    collect(request, payload, BODY_LIMIT, tooLarge).then(
      (text) => inTurn(request, () => take(text)),
      (error) => inTurn(request, () => done(error)),
    );
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    const unsupported = () =>
      new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.');
    collect(request, payload, 0, unsupported).then(
      () => inTurn(request, () => done(null, undefined)),
      (error) => inTurn(request, () => done(error)),
    );
  });
}

/** Calls `work` for a request without a key when it is its turn. */
type KeylessTurn = (socket: Socket, work: () => void) => void;

/** Whose a long body is. */
type CallerOf = (owner: Owner) => LongCaller;

/** Rejects when the client leaves: its body is not kept then. */
async function waitForTurn(
  { owner, raw: { socket } }: FastifyRequest,
  callerOf: CallerOf,
): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The client disconnected.'));
  socket.once('close', leave);
  try {
    if (socket.destroyed) leave();
    await ownersTurn(owner ? callerOf(owner) : { ownerId: '' }, left.signal);
  } finally {
    socket.off('close', leave);
  }
}

/**
 * Reads a body into one buffer: Node makes a buffer for each chunk, which may have one byte, and
 * Fastify would keep them all.
 */
async function collect(
  request: FastifyRequest,
  payload: IncomingMessage,
  limit: number,
  tooLarge: () => ApiError,
): Promise<string> {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > limit) throw tooLarge();
  const body = new CappedOutput(limit);
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      body.write(chunk);
      if (!body.truncated) return;
      payload.off('data', take);
      reject(tooLarge());
    };
    payload.on('data', take);
    payload.once('end', resolve);
    payload.once('error', () => reject(wrongLength()));
  });
  if (!Number.isNaN(announced) && announced !== body.length) throw wrongLength();
  request.throttleShare?.resize(body.length);
  return body.text();
}

function tooLarge(): ApiError {
  return new ApiError('payload_too_large', 'The body is too large; the limit is 8 MiB.');
}

function wrongLength(): ApiError {
  const message = 'The body is shorter or longer than its Content-Length.';
  return new ApiError('invalid_request', message);
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
