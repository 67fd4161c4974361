import { Readable } from 'node:stream';
import { errors, Pool } from 'undici';
import {
  AnswerTimeoutError,
  CONNECT_MS,
  ConnectTimeoutError,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../client/http/transport.js';

/**
 * Requests to `origin` over undici's pool of connections, for commands that send several requests.
 * It takes up to 200 ms of processor time to load, so quick commands use Node's own HTTP client.
 */
export function openPool(origin: string): Transport {
  const pool = new Pool(origin, { connect: { timeout: CONNECT_MS } });
  return {
    request: (request) => send(pool, request),
    close: () => pool.close(),
  };
}

async function send(pool: Pool, { body, ...request }: HttpRequest): Promise<HttpResponse> {
  const isStream = body !== null && typeof body === 'object' && !(body instanceof Uint8Array);
  try {
    return await pool.request({ ...request, body: isStream ? Readable.from(body) : body });
  } catch (error) {
    throw withoutUndici(error);
  }
}

/** The failure as the other transports report it. */
function withoutUndici(error: unknown): unknown {
  if (error instanceof errors.ConnectTimeoutError) return new ConnectTimeoutError(error.message);
  if (error instanceof errors.HeadersTimeoutError) return new AnswerTimeoutError();
  if (error instanceof errors.SocketError) {
    return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNRESET' });
  }
  return error;
}
