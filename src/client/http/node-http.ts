import type { ClientRequest, IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  CONNECT_MS,
  ConnectTimeoutError,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './transport.js';
import { isChecked, type ListenerUid, verifiedConnector } from './trusted-peer.js';

/** The service did not answer in time, or stopped answering. */
class AnswerTimeoutError extends Error {
  readonly code = 'ANSWER_TIMEOUT';
}

/**
 * A transport to `origin` for a process that sends a few requests and ends: Node's own HTTP client
 * takes 15 ms of processor time for the first one, undici's, which compiles its parser, 200.
 */
export function openNodeHttp(origin: string, listenerUid: ListenerUid | undefined): Transport {
  const module = origin.startsWith('https:') ? import('node:https') : import('node:http');
  const agent = module.then(({ Agent }) => {
    const opened = new Agent({ keepAlive: true });
    if (!isChecked(new URL(origin), listenerUid)) return opened;
    return Object.assign(opened, { createConnection: verifiedConnector(listenerUid) });
  });
  return {
    async request(options) {
      const { request } = await module;
      const { method, path, headers, signal } = options;
      const sent = request(new URL(origin), {
        ...{ method, path, headers, agent: await agent },
        ...(signal === null ? {} : { signal }),
      });
      return exchange(sent, options);
    },
    async close() {
      (await agent).destroy();
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
      late.destroy(new AnswerTimeoutError('no answer in time'));
    });
    sent.once('response', (response) => {
      late = response;
      sent.setTimeout(bodyTimeout);
      resolve(answer(response, options.signal));
    });
    if (isStream(body)) body.on('error', (error) => sent.destroy(error)).pipe(sent);
    else sent.end(body ?? undefined);
  });
}

function answer(response: IncomingMessage, signal: AbortSignal | null): HttpResponse {
  if (signal !== null) addAbortSignal(signal, response);
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

function isStream(body: HttpRequest['body']): body is Readable {
  return typeof body === 'object' && body !== null && 'pipe' in body;
}
