import type { ClientRequest, IncomingMessage } from 'node:http';
import { onAbort } from '../../lib/async/abort.js';
import { connectUnix } from '../../lib/net/unix-socket.js';
import {
  AnswerTimeoutError,
  CONNECT_MS,
  ConnectTimeoutError,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './transport.js';

/** How long a stream waits for the service to ask for it; a proxy may not know how to. */
const CONTINUE_MS = 1_000;

/** A transport to `origin`, or to a unix socket, over Node's own HTTP client. */
export function openNodeHttp(
  origin: string,
  socketPath: string | undefined,
  ca?: string,
): Transport {
  // An import evaluates all getters of the module, which loads WebSocket and fetch on Node.js 22.
  const { Agent, request } = origin.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
  const agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
  if (socketPath !== undefined) {
    Object.assign(agent, { createConnection: () => connectUnix(socketPath) });
  }
  return {
    async request(options) {
      const { method, path, headers, body, signal } = options;
      const sent = request(new URL(origin), {
        method,
        path,
        agent,
        // A refusal then comes before the stream is sent; Node loses one that comes in between.
        headers: isStream(body) ? { ...headers, expect: '100-continue' } : headers,
        ...(signal === null ? {} : { signal }),
      });
      return exchange(sent, options);
    },
    async close() {
      agent.destroy();
    },
  };
}

function exchange(sent: ClientRequest, options: HttpRequest): Promise<HttpResponse> {
  const { body, headersTimeout, bodyTimeout } = options;
  limitConnecting(sent);
  return new Promise((resolve, reject) => {
    // Later errors are reported by the body stream.
    sent.on('error', reject);
    let late: ClientRequest | IncomingMessage = sent;
    sent.setTimeout(headersTimeout);
    sent.on('timeout', () => {
      // A reader that pauses is not the service's fault: it has left something unread.
      if ('readableLength' in late && late.readableLength > 0) return;
      late.destroy(new AnswerTimeoutError());
    });
    sent.once('response', (response) => {
      late = response;
      sent.setTimeout(bodyTimeout);
      resolve(answer(response, options.signal));
    });
    if (isStream(body)) sendStream(sent, body);
    else sent.end(body ?? undefined);
  });
}

/** Sends a body once the service asks for it, until it has answered. */
function sendStream(sent: ClientRequest, body: AsyncIterable<Uint8Array>): void {
  // Of a Node.js stream: reading it throws the error.
  if ('on' in body && typeof body.on === 'function') body.on('error', () => undefined);
  const source = body[Symbol.asyncIterator]();
  const ended = new AbortController();
  const start = () => {
    clearTimeout(timer);
    sent.off('continue', start);
    pour(source, sent, ended.signal).catch((error: Error) => sent.destroy(error));
  };
  const timer = setTimeout(start, CONTINUE_MS);
  const stop = () => {
    clearTimeout(timer);
    sent.off('continue', start);
    ended.abort();
    // A stream that waits for its next chunk ends when that comes.
    Promise.resolve(source.return?.()).catch(() => undefined);
  };
  sent.once('continue', start);
  sent.once('response', (response) => {
    if (sent.writableEnded) return;
    stop();
    // The connection is of no further use: the service waits for the rest of the body.
    response.once('close', () => sent.destroy());
  });
  sent.once('close', stop);
  sent.flushHeaders();
}

/** Bytes written at once. A longer write may fail before an answer that has come is read. */
const PIECE = 64 * 1024;

/** Writes chunks no faster than they are sent, until `ended` is aborted. */
async function pour(
  source: AsyncIterator<Uint8Array>,
  sent: ClientRequest,
  ended: AbortSignal,
): Promise<void> {
  for (;;) {
    const { done, value } = await source.next();
    if (ended.aborted) return;
    if (done === true) return void sent.end();
    for (let at = 0; at < value.length; at += PIECE) {
      // Reads an answer that has come, before a write fails because the other end has closed.
      await new Promise((resolve) => setImmediate(resolve));
      if (ended.aborted) return;
      if (!sent.write(value.subarray(at, at + PIECE))) await drained(sent, ended);
    }
  }
}

function drained(sent: ClientRequest, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      sent.off('drain', go);
      dispose();
      resolve();
    };
    const dispose = onAbort(ended, go);
    sent.once('drain', go);
  });
}

function answer(response: IncomingMessage, signal: AbortSignal | null): HttpResponse {
  // Reading it then throws the reason, as in a browser; addAbortSignal would replace it.
  const dispose = onAbort(signal ?? undefined, (reason) => response.destroy(reason as Error));
  response.once('close', dispose);
  return { statusCode: response.statusCode ?? 0, headers: response.headers, body: response };
}

/** Aborts a request whose connection is not established in time. */
function limitConnecting(sent: ClientRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = () => sent.destroy(new ConnectTimeoutError('no connection in time'));
    const timer = setTimeout(late, CONNECT_MS);
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  });
}

function isStream(body: HttpRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
