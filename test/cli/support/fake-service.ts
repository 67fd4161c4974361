import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { encodeRemedy, REMEDY_HEADER } from '../../../src/contract/errors.js';

export interface Received {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

type Reply = (request: Received, response: ServerResponse) => unknown;

/** Called with the start message and the socket of a process, and the path of the request. */
export type OnProcess = (start: unknown, socket: import('ws').WebSocket, url: string) => void;

export interface FakeService {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Answers `METHOD /path` (without /api and the query) with a JSON body. */
  on(route: string, body: unknown): void;
  /** Answers with an error of the contract. */
  fail(route: string, status: number, code: string, message: string, remedy?: string): void;
  /** Answers with a handler. */
  handle(route: string, reply: Reply): void;
  /** Answers all other requests with a handler. */
  handleOthers(reply: Reply): void;
  onProcess(handler: OnProcess): void;
  close(): Promise<void>;
}

/** An HTTP server with configurable answers that records every request. */
export async function startFakeService(): Promise<FakeService> {
  const replies = new Map<string, Reply>();
  const received: Received[] = [];
  let others: Reply | undefined;
  let process: OnProcess = (_, socket) => socket.close();
  const server = createServer(async (request, response) => {
    response.setHeader('x-api-version', '1');
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The client has left in the middle of its request.
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    const isJson = headers['content-type'] === 'application/json' && text !== '';
    const seen = { method, url, headers, body: isJson ? JSON.parse(text) : undefined };
    received.push(seen);
    const route = `${method} ${url.replace(/^\/api/, '').replace(/\?.*$/, '')}`;
    const reply = replies.get(route) ?? others;
    if (reply !== undefined) return void (await reply(seen, response));
    answer(response, 404, { error: `There is no ${method} ${url}.` }, { code: 'not_found' });
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: undefined });
    const isRefused = headers.authorization?.endsWith(' vc_refused') === true;
    if (!headers.authorization || isRefused) {
      const body = `{"error":"The API key is ${isRefused ? 'not valid' : 'missing'}."}`;
      socket.end(
        `HTTP/1.1 401 Unauthorized\r\nx-error-code: unauthorized\r\nx-api-version: 1\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.once('message', (data) => process(JSON.parse(data.toString()), webSocket, url));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    received,
    on: (route, body) => replies.set(route, (_, response) => answer(response, 200, body)),
    fail: (route, status, code, error, remedy) =>
      replies.set(route, (_, response) => answer(response, status, { error }, { code, remedy })),
    handle: (route, reply) => replies.set(route, reply),
    handleOthers: (reply) => {
      others = reply;
    },
    onProcess: (handler) => {
      process = handler;
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  { code, remedy }: { code?: string; remedy?: string | undefined } = {},
): void {
  response.setHeader('x-request-id', 'req-1');
  if (code !== undefined) response.setHeader('x-error-code', code);
  if (remedy !== undefined) response.setHeader(REMEDY_HEADER, encodeRemedy(remedy));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
