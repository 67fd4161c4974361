import { Readable } from 'node:stream';
import { type buildConnector, errors, Pool } from 'undici';
import { Client } from '../../client/client.js';
import {
  AnswerTimeoutError,
  CONNECT_MS,
  ConnectTimeoutError,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../client/http/transport.js';
import { connectUnix } from '../../lib/net/unix-socket.js';
import { type ClientSettings, clientOptions } from '../targets/client.js';

/** A client for commands that send several requests and need not start quickly. */
export function openPooledClient(settings: ClientSettings): Client {
  return new Client(clientOptions(settings), async (...origin) => openPool(...origin));
}

/**
 * Requests to `origin`, or to a unix socket, over undici's pool of connections, for commands that send several requests.
 * It takes up to 200 ms of processor time to load, so quick commands use Node's own HTTP client.
 */
export function openPool(origin: string, socketPath: string | undefined, ca?: string): Transport {
  const direct = { timeout: CONNECT_MS, ...(ca === undefined ? {} : { ca }) };
  const connect = socketPath === undefined ? direct : unixConnector(socketPath);
  const pool = new Pool(origin, { connect });
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

function unixConnector(path: string): buildConnector.connector {
  return (_, done) => {
    const socket = connectUnix(path);
    const fail = (error: Error) => done(error, null);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      done(null, socket);
    });
  };
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
