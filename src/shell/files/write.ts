import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { fileError, ifExists, isMissing } from './errors.js';
import { guestPath, splitPath } from './path.js';
import { replace } from './replace.js';
import { type FileSession, withSession } from './session.js';
import { isFull } from './space.js';
import type { UploadOptions } from './types.js';

/** Bytes of one write: OpenSSH's largest packet (256 KiB) without the packet's header. */
const MOST_AT_ONCE = 254 * 1024;
/** Most bytes in flight. More would be slower, because they no longer fit into the caches. */
const MOST_WAITING = 1024 * 1024;

/** Writes a file atomically, see {@link Files.write}. */
export function writeFile(
  connection: Connection,
  path: string,
  data: AsyncIterable<Buffer>,
  { mode, signal }: UploadOptions = {},
): Promise<{ path: string; size: number }> {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    const target = await resolveTarget(session, wanted, path);
    const { directory } = splitPath(target.path);
    const temporary = `${directory.replace(/\/$/, '')}/.vc-upload-${randomBytes(8).toString('hex')}`;
    const wantedMode = mode ?? target.mode;
    try {
      const handle = await session.ask<Buffer>((done) =>
        session.sftp.open(temporary, 'wx', { mode: wantedMode ?? 0o666 }, done),
      );
      const size = await pour(session, handle, data);
      if (wantedMode !== undefined) {
        await session.run((done) => session.sftp.fsetstat(handle, { mode: wantedMode }, done));
      }
      await session.run((done) => session.sftp.close(handle, done));
      signal?.throwIfAborted();
      await replace(session, temporary, target.path);
      return { path: target.path, size };
    } catch (error) {
      const full = await isFull(session, directory);
      await discard(connection, temporary);
      if (full) {
        const message = `The computer's disk is full: ${JSON.stringify(path)} was not written.`;
        throw new ApiError('invalid_request', message, { cause: error });
      }
      throw fileError(error, 'write', path);
    }
  });
}

/** Resolves links in a path, and returns the mode of an existing file. */
async function resolveTarget(
  session: FileSession,
  wanted: string,
  path: string,
): Promise<{ path: string; mode?: number }> {
  const shown = JSON.stringify(path);
  if (wanted.endsWith('/')) {
    throw new ApiError('invalid_request', `${shown} names a directory, not a file.`);
  }
  try {
    const target = await session.realpath(wanted);
    const stats = await ifExists(session.stat(target));
    if (stats === undefined) {
      await session.stat(splitPath(target).directory);
      return { path: target };
    }
    if (stats.isFile()) return { path: target, mode: stats.mode & 0o7777 };
    const what = stats.isDirectory() ? 'a directory' : 'not a regular file';
    throw new ApiError('invalid_request', `${shown} is ${what}.`);
  } catch (error) {
    if (isMissing(error)) {
      const message = `There is no directory for ${shown} in the computer.`;
      const remedy = 'Create the directory first.';
      throw new ApiError('not_found', message, { remedy, cause: error });
    }
    throw fileError(error, 'write', path);
  }
}

/**
 * Writes chunks with several requests in flight; resolves to the number of bytes. Combines the
 * chunks that arrive meanwhile, because every write costs the guest a reply.
 */
async function pour(
  session: FileSession,
  handle: Buffer,
  data: AsyncIterable<Buffer>,
): Promise<number> {
  let position = 0;
  let waiting = 0;
  let gathered: Buffer[] = [];
  let size = 0;
  let failure: unknown;
  let wake: () => void = () => undefined;
  const send = () => {
    if (size === 0) return;
    const chunk = gathered.length === 1 && gathered[0] ? gathered[0] : Buffer.concat(gathered);
    const at = position;
    position += size;
    waiting += size;
    gathered = [];
    size = 0;
    session
      .data<void>((done) =>
        session.sftp.write(handle, chunk, 0, chunk.length, at, (error) => done(error, undefined)),
      )
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        waiting -= chunk.length;
        if (waiting === 0 && failure === undefined) send();
        wake();
      });
  };
  const room = async (most: number) => {
    while (waiting > most && failure === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== undefined) throw failure;
  };
  for await (const chunk of data) {
    if (size + chunk.length > MOST_AT_ONCE) send();
    gathered.push(chunk);
    size += chunk.length;
    if (waiting === 0) send();
    await room(MOST_WAITING);
  }
  send();
  await room(0);
  return position;
}

/** Removes a failed upload's temporary file, in a new session, because its own may have ended. */
async function discard(connection: Connection, path: string): Promise<void> {
  await withSession(connection, undefined, (session) =>
    session.run((done) => session.sftp.unlink(path, done)),
  ).catch(() => undefined);
}
