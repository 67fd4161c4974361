import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import type { Shell } from '../types.js';
import { type Answer, readAnswer, requestText } from './answer.js';
import type { BrowserEndpoint } from './endpoint.js';

/** Milliseconds that the browser has for an answer; it is slow at first in an emulated machine. */
const ANSWER_MS = 60_000;
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
  return ask(
    shell,
    { port, method: 'GET', path, headers },
    signal,
    ({ status, headers }, tunnel) => {
      if (status !== 101 || headers.get('sec-websocket-accept') !== acceptOf(key)) throw gone();
      return tunnel;
    },
  );
}

/** Opens a page in a new tab. */
export async function openTab(
  shell: Shell,
  { port }: BrowserEndpoint,
  url: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/json/new?${encodeURIComponent(url)}`;
  await text(shell, { port, method: 'PUT', path }, signal);
}

/** What the browser says of itself: strings by name. */
export async function describeBrowser(
  shell: Shell,
  { port }: BrowserEndpoint,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await text(shell, { port, method: 'GET', path: '/json/version' }, signal);
  try {
    const parsed: unknown = JSON.parse(answer);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {
    // Not the answer of a browser.
  }
  throw gone();
}

interface Asked {
  readonly port: number;
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of the answer to a request, over a connection that ends with it. */
async function text(shell: Shell, asked: Asked, signal?: AbortSignal): Promise<string> {
  return ask(shell, asked, signal, async ({ status, body }, tunnel) => {
    if (status !== 200) throw gone();
    const answer = await body();
    tunnel.destroy();
    return answer;
  });
}

/** Sends one request over a connection of its own, which is destroyed on failure. */
async function ask<T>(
  shell: Shell,
  { port, method, path, headers = {} }: Asked,
  signal: AbortSignal | undefined,
  take: (answer: Answer, tunnel: Duplex) => Promise<T> | T,
): Promise<T> {
  signal?.throwIfAborted();
  const asked = requestText(method, path, { ...headers, host: `127.0.0.1:${port}` });
  if (asked === undefined) throw gone();
  const tunnel = await shell.connect(port).catch((cause: ApiError) => {
    throw cause.code === 'target_failed' ? gone(cause) : cause;
  });
  tunnel.on('error', () => undefined);
  tunnel.write(asked);
  const answered = readAnswer(tunnel)
    .then((answer) => take(answer, tunnel))
    .catch((cause) => {
      throw cause instanceof ApiError ? cause : gone(cause);
    });
  const onTimeout = () => new ApiError('guest_timeout', 'The browser did not answer in time.');
  return within(answered, { ms: ANSWER_MS, onTimeout, signal }).catch((error: unknown) => {
    tunnel.destroy();
    throw error;
  });
}

function gone(cause?: Error): ApiError {
  return new ApiError('guest_failed', 'The browser of the computer does not answer.', {
    cause,
    remedy: 'Connect again, which starts it if it has ended.',
  });
}
