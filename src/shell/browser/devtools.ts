import { createHash } from 'node:crypto';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import type { Shell } from '../types.js';
import type { BrowserEndpoint } from './endpoint.js';

/** Milliseconds that the browser has for an answer; it is slow at first in an emulated machine. */
const ANSWER_MS = 60_000;
/** Longest answer, in bytes. */
const MOST_BYTES = 64 * 1024;
/** Of RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** What a server answers to the key of a client that opens a WebSocket (RFC 6455). */
export function acceptOf(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

/**
 * Opens the debugging WebSocket of the browser, with the client's own `key`, up to the first frame.
 * Rejects with `guest_failed` when this browser does not run any more.
 */
export function openDevTools(
  shell: Shell,
  { port, path }: BrowserEndpoint,
  key: string,
  signal?: AbortSignal,
): Promise<Duplex> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
  };
  return ask(shell, { port, path, headers }, signal, (sent, resolve, reject) => {
    sent.on('response', () => reject(gone()));
    sent.on('upgrade', (response: IncomingMessage, socket: Socket, head: Buffer) => {
      if (response.headers['sec-websocket-accept'] !== acceptOf(key)) {
        socket.destroy();
        return reject(gone());
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
  });
}

/** Opens a page in a new tab. */
export async function openTab(
  shell: Shell,
  { port }: BrowserEndpoint,
  url: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/json/new?${encodeURIComponent(url)}`;
  await text(shell, { port, path, method: 'PUT' }, signal);
}

/** What the browser says of itself: strings by name. */
export async function describeBrowser(
  shell: Shell,
  { port }: BrowserEndpoint,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await text(shell, { port, path: '/json/version', method: 'GET' }, signal);
  try {
    const parsed: unknown = JSON.parse(answer);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {
    // Not the answer of a browser.
  }
  throw gone();
}

type Asked = Pick<RequestOptions, 'method' | 'headers'> & { readonly port: number; path: string };

function text(shell: Shell, asked: Asked, signal?: AbortSignal): Promise<string> {
  return ask(shell, asked, signal, (sent, resolve, reject) => {
    sent.on('upgrade', () => reject(gone()));
    sent.on('response', (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        answer += chunk;
        if (answer.length > MOST_BYTES) reject(gone());
      });
      response.on('error', () => reject(gone()));
      response.on('end', () => (response.statusCode === 200 ? resolve(answer) : reject(gone())));
    });
  });
}

/** Sends one request over a connection of its own, which is closed on failure. */
async function ask<T>(
  shell: Shell,
  { port, ...asked }: Asked,
  signal: AbortSignal | undefined,
  listen: (
    sent: ReturnType<typeof request>,
    resolve: (value: T) => void,
    reject: (error: Error) => void,
  ) => void,
): Promise<T> {
  signal?.throwIfAborted();
  const tunnel = asSocket(await shell.connect(port));
  const answered = new Promise<T>((resolve, reject) => {
    const headers = { ...asked.headers, host: `127.0.0.1:${port}` };
    const sent = request({ ...asked, headers, createConnection: () => tunnel });
    sent.on('error', (cause) => reject(gone(cause)));
    listen(sent, resolve, reject);
    sent.end();
  });
  const onTimeout = () => new ApiError('guest_timeout', 'The browser did not answer in time.');
  return within(answered, { ms: ANSWER_MS, onTimeout, signal }).catch((error: unknown) => {
    tunnel.destroy();
    throw error;
  });
}

/** Node's HTTP client calls these methods of a socket, which a channel of SSH does not have. */
function asSocket(stream: Duplex): Socket {
  const nothing = () => stream;
  const missing = { setTimeout: nothing, setNoDelay: nothing, setKeepAlive: nothing };
  for (const [name, method] of Object.entries(missing)) {
    if (!(name in stream)) Object.assign(stream, { [name]: method });
  }
  return stream as Socket;
}

function gone(cause?: Error): ApiError {
  return new ApiError('guest_failed', 'The browser of the computer does not answer.', {
    cause,
    remedy: 'Connect again, which starts it if it has ended.',
  });
}
