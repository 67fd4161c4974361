import { DEFAULT_BASE_URL } from '../../contract/constants.js';
import type { Endpoint, Transport } from '../http/transport.js';
import type { ClientOptions } from '../options.js';
import type { MessageSocket } from '../sockets/message-socket.js';
import { openFetch } from './browser/fetch.js';
import { openBrowserSocket } from './browser/socket.js';
import type * as node from './node.js';

/** A browser names itself. */
export const sendsUserAgent: boolean = false;

/** Base URL and key as given: a page has no environment and no profiles. */
export function findSettings(
  given: Partial<ClientOptions>,
): Pick<ClientOptions, 'baseUrl' | 'apiKey'> {
  return { ...given, baseUrl: given.baseUrl ?? DEFAULT_BASE_URL };
}

export async function openTransport(origin: string): Promise<Transport> {
  return openFetch(origin);
}

export function openSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
): Promise<MessageSocket> {
  return openBrowserSocket(endpoint, path, signal);
}

export async function isSilent(url: URL, ms: number, signal: AbortSignal): Promise<boolean> {
  const late = AbortSignal.timeout(ms);
  try {
    const options = { cache: 'no-store', signal: AbortSignal.any([signal, late]) } as const;
    await fetch(`${url.href.replace(/\/$/, '')}/health`, options);
  } catch {
    signal.throwIfAborted();
    // A failed connection is left to the request itself.
    return late.aborted;
  }
  return false;
}

export async function readLocalFile(_path: string): Promise<node.LocalFile> {
  throw new TypeError('a page cannot read files of this machine by their path: write a Blob');
}

export async function writeLocalFile(_path: string): Promise<void> {
  throw new TypeError('a page cannot write files of this machine: open or read the file');
}

export function keepErrors(_data: unknown): void {}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The same as of Node.js, checked by the compiler. */
export const platform: Omit<typeof node, 'platform'> = {
  sendsUserAgent: sendsUserAgent as true,
  findSettings,
  openTransport,
  openSocket,
  isSilent,
  readLocalFile,
  writeLocalFile,
  keepErrors,
  joinBytes,
};
