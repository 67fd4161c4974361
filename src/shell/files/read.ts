import { Readable } from 'node:stream';
import type { Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { DIRECT_BYTES, openDirect } from '../transfer/direct.js';
import { fileError, isEnd } from './errors.js';
import { guestPath } from './path.js';
import { type FileSession, withSession } from './session.js';
import type { OpenFile } from './types.js';

/** Bytes of one request: a little less than OpenSSH's largest packet (256 KiB). */
const CHUNK = 252 * 1024;
/** Requests in flight. More would be slower, because they exceed the caches. */
const AHEAD = 4;
/** Bytes that wait in a stream for its reader, besides the requests in flight. */
const WAITING = 16 * 1024;

/** Opens a regular file for `use`, see {@link Files.read}. */
export function readFile<T>(
  connection: Connection,
  path: string,
  use: (file: OpenFile) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    try {
      // Checked first, because opening a pipe without a writer would block forever.
      if (!(await session.stat(wanted)).isFile()) throw await notAFile(session, wanted, path);
      const handle = await session.ask<Buffer>((done) => session.sftp.open(wanted, 'r', done));
      const stats = await session.ask<Stats>((done) => session.sftp.fstat(handle, done));
      // A server may leave any of them out.
      const { mode = 0, mtime = 0, size: told = 0 } = stats as Partial<Stats>;
      // Files in /proc and similar report a size of 0.
      const first = told === 0 ? await readAt(session, handle, 0, CHUNK) : undefined;
      const size = first === undefined || first.length === 0 ? told : undefined;
      const absolute = await session.realpath(wanted);
      const source = { connection, session, handle, path, absolute, size: told, mtime };
      const part = (start: number, end: number) =>
        streamOf(
          end - start < DIRECT_BYTES
            ? exactly(source, { start, end })
            : directly(source, { start, end }, signal),
        );
      const stream =
        size === undefined
          ? streamOf(untilEnd(session, handle, first ?? Buffer.alloc(0)))
          : part(0, size);
      return await use({ path: absolute, size, mode: mode & 0o7777, mtime, stream, part });
    } catch (error) {
      throw fileError(error, 'read', path);
    }
  });
}

function streamOf(chunks: AsyncGenerator<Buffer>): Readable {
  return Readable.from(chunks, { objectMode: false, highWaterMark: WAITING });
}

async function notAFile(session: FileSession, wanted: string, path: string): Promise<ApiError> {
  const isDirectory = (await session.stat(wanted)).isDirectory();
  const what = isDirectory ? 'a directory' : 'not a regular file';
  return new ApiError('invalid_request', `${JSON.stringify(path)} is ${what}.`);
}

/** An open file. */
interface Source {
  readonly connection: Connection;
  readonly session: FileSession;
  readonly handle: Buffer;
  /** As the caller wrote it. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
  readonly mtime: number;
}

interface Part {
  readonly start: number;
  readonly end: number;
}

/** Reads without SSH where that is possible, and if the path still leads to the same file. */
async function* directly(
  source: Source,
  { start, end }: Part,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const request = { path: source.absolute, way: 'read', start, end } as const;
  const direct = await openDirect(source.connection, request, signal);
  if (direct === undefined) return yield* exactly(source, { start, end });
  try {
    if (direct.size !== source.size || direct.mtime !== source.mtime) {
      return yield* exactly(source, { start, end });
    }
    let left = end - start;
    for await (const chunk of direct.stream as AsyncIterable<Buffer>) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
    throw shrank(source.path);
  } finally {
    direct.close();
  }
}

/** Keeps several requests in flight and yields their chunks in order. */
async function* exactly(
  { session, handle, path }: Source,
  { start, end }: Part,
): AsyncGenerator<Buffer> {
  const waiting: Promise<Buffer>[] = [];
  let position = start;
  const ask = () => {
    while (waiting.length < AHEAD && position < end) {
      const length = Math.min(CHUNK, end - position);
      const chunk = readWhole(session, handle, position, length, path);
      chunk.catch(() => undefined);
      waiting.push(chunk);
      position += length;
    }
  };
  ask();
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const chunk = await next;
    ask();
    yield chunk;
  }
}

async function* untilEnd(
  session: FileSession,
  handle: Buffer,
  first: Buffer,
): AsyncGenerator<Buffer> {
  let position = 0;
  for (let chunk = first; chunk.length > 0; ) {
    yield chunk;
    position += chunk.length;
    chunk = await readAt(session, handle, position, CHUNK);
  }
}

async function readWhole(
  session: FileSession,
  handle: Buffer,
  position: number,
  length: number,
  path: string,
): Promise<Buffer> {
  const chunk = await readAt(session, handle, position, length);
  if (chunk.length === length) return chunk;
  throw shrank(path);
}

function shrank(path: string): ApiError {
  return new ApiError('guest_failed', `${JSON.stringify(path)} shrank while it was read.`);
}

/**
 * Reads `length` bytes, or fewer at the end. Fills one buffer with as many requests as needed, so
 * that a guest that answers with a byte at a time takes no more memory.
 */
async function readAt(
  session: FileSession,
  handle: Buffer,
  position: number,
  length: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const [offset, left, at] = [filled, length - filled, position + filled];
    const bytes = await session
      .data<number>((done) => session.sftp.read(handle, buffer, offset, left, at, done))
      .catch((error: unknown) => {
        if (isEnd(error)) return 0;
        throw error;
      });
    if (bytes === 0) break;
    filled += Math.min(bytes, left);
  }
  return filled === length ? buffer : Buffer.from(buffer.subarray(0, filled));
}
