import type { Endpoint, Transport } from '../http/transport.js';
import type { MessageSocket } from '../sockets/message-socket.js';

/** Modules are loaded when they are first used, for the start-up of the CLI. */

export { findSettings } from '../settings.js';

/** Whether requests may say which program sends them. */
export const sendsUserAgent = true;

/** Connections to `origin`, or to a unix socket; nothing is sent yet. */
export async function openTransport(
  origin: string,
  socketPath: string | undefined,
  ca: string | undefined,
): Promise<Transport> {
  const { openNodeHttp } = await import('../http/node-http.js');
  return openNodeHttp(origin, socketPath, ca);
}

/** Opens a WebSocket at `path` (with its query) below the base URL; an abort ends it. */
export async function openSocket(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal,
): Promise<MessageSocket> {
  const { openNodeSocket } = await import('../http/socket.js');
  return openNodeSocket(endpoint, path, signal);
}

/** True if nothing comes back from a service within `ms` milliseconds. */
export async function isSilent(url: URL, ms: number, signal: AbortSignal): Promise<boolean> {
  return (await import('../http/probe.js')).isSilent(url, ms, signal);
}

/** A file of this machine, to be read once. */
export interface LocalFile {
  readonly data: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

export async function readLocalFile(path: string): Promise<LocalFile> {
  const { createReadStream } = await import('node:fs');
  const { stat } = await import('node:fs/promises');
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  const { size, mode } = stats;
  return { data: createReadStream(path), size, mode: mode & 0o777 };
}

/** Writes a file of this machine, see `writeOutputFile`. */
export async function writeLocalFile(
  path: string,
  data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  mode: number | undefined,
): Promise<void> {
  const { writeOutputFile } = await import('../../lib/fs/output-file.js');
  await writeOutputFile(path, data, { mode });
}

/** A Buffer, so that `toString('base64')` and the like do what users of Node.js expect. */
export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Buffer.concat(chunks);
}

/** Reports errors of a stream of this platform that nobody reads yet; reading it throws them. */
export function keepErrors(data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  if ('pipe' in data && 'on' in data && typeof data.on === 'function') {
    data.on('error', () => undefined);
  }
}
