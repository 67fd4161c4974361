import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from '../../contract/constants.js';
import { ApiError, type ErrorCode, encodeRemedy, REMEDY_HEADER } from '../../contract/errors.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import { remedyOf } from '../../fleet/errors/remedies.js';
import { isDiskFull } from '../../lib/fs/disk-reserve.js';
import { cut } from '../../lib/text/printable.js';
import type { Params } from '../requests.js';
import { hasBody } from './bodies.js';
import { closeLater } from './lingering-close.js';
import { logOf } from './log.js';

/** Characters of an error's message: enough for two paths of 4,096 that it quotes. */
export const MOST_MESSAGE = 10_000;

/** The framework's own errors as errors of the contract. */
const frameworkErrors: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () =>
    new ApiError('invalid_request', 'The body is not valid JSON.'),
  FST_ERR_BAD_URL: () =>
    new ApiError('invalid_request', 'The path is not a valid percent-encoded URL.'),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new ApiError('not_found', 'A name in the path is too long to exist.'),
};

export function toApiError(error: FastifyError | ApiError | Error): ApiError {
  if (error instanceof ApiError) return error;
  const code = 'code' in error ? String(error.code) : '';
  const known = frameworkErrors[code];
  if (known) return known();
  if (isDiskFull(error)) {
    return new ApiError('internal', 'The disk of the service is full; nothing was changed.', {
      remedy: "Free space on the service's host.",
      cause: error,
    });
  }
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 400) return new ApiError('invalid_request', 'The body is not valid JSON.');
  return new ApiError('internal', 'The service failed.', { cause: error });
}

/**
 * Sends an error as `{"error": "<one line>"}`, with its code in `x-error-code` and its remedy in
 * `x-error-remedy`. `pack` wraps the body.
 */
export function sendError(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  pack: (body: string) => unknown = (body) => body,
): FastifyReply {
  const answer = toApiError(error);
  if (answer.code === 'internal') logOf(request).error({ err: error }, 'failed');
  else if (answer.status >= 500) logOf(request).warn({ err: answer }, 'refused');
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (answer.status === 429 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  // The rest of a body is not read.
  const isUnread = hasBody(request.raw) && !request.raw.complete;
  if (isUnread || answer.status === 401 || answer.status === 429) {
    reply.header('connection', 'close');
  }
  if (answer.status === 413) closeLater(request.raw);
  if (request.raw.headers.upgrade !== undefined) {
    // A refused upgrade: HTTP timeouts no longer apply to its socket.
    reply.header('connection', 'close');
    reply.raw.once('finish', () => request.raw.socket.destroySoon());
  }
  const remedy = remedyOf(answer, {
    computer: request.computer ?? undefined,
    job: (request.params as Params | undefined)?.job,
    requestId: request.id,
  });
  if (remedy !== undefined) reply.header(REMEDY_HEADER, encodeRemedy(remedy));
  return reply
    .status(answer.status)
    .header('x-error-code', answer.code)
    .type('application/json; charset=utf-8')
    .send(pack(JSON.stringify({ error: cut(publicMessage(answer), MOST_MESSAGE) })));
}

/** Answers invalid or too slow HTTP in the contract's form. */
export function refuseGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const line = late ? '408 Request Timeout' : '400 Bad Request';
  const code: ErrorCode = late ? 'request_timeout' : 'invalid_request';
  const message = late ? 'The request did not arrive whole in time.' : 'This is not valid HTTP.';
  const body = JSON.stringify({ error: message });
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const headers = [
    `HTTP/1.1 ${line}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-error-code: ${code}`,
    `x-api-version: ${API_VERSION}`,
    'connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
