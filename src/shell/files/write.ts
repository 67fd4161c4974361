import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { DIRECT_BYTES, type DirectTransfer, openDirect } from '../transfer/direct.js';
import { finishDirect, sendDirect } from '../transfer/send.js';
import { SftpWriter } from '../transfer/sftp-writer.js';
import { fileError, ifExists, isMissing } from './errors.js';
import { guestPath, splitPath } from './path.js';
import { replace } from './replace.js';
import type { FileSession } from './session.js';
import { withSession } from './session.js';
import type { UploadOptions } from './types.js';

interface FileSystem {
  readonly f_bavail: number;
  readonly f_frsize: number;
  readonly f_files: number;
  readonly f_favail: number;
}

/** With fewer free bytes than this, small writes may fail. */
const LEAST_BYTES = 256 * 1024;

/** Queries the free space, because SFTP reports a full disk as a generic failure. False if unknown. */
async function isFull(session: FileSession, directory: string): Promise<boolean> {
  const { sftp } = session;
  const found = await session
    .ask<FileSystem>((done) =>
      sftp.ext_openssh_statvfs(directory, (error, value) => done(error, value as FileSystem)),
    )
    .catch(() => undefined);
  if (found === undefined) return false;
  const noRoom = found.f_bavail * found.f_frsize < LEAST_BYTES;
  return noRoom || (found.f_files > 0 && found.f_favail === 0);
}

/** Writes a file atomically, see {@link Files.write}. */
export function writeFile(
  connection: Connection,
  path: string,
  data: AsyncIterable<Buffer>,
  { mode, expectedBytes = 0, signal }: UploadOptions = {},
): Promise<{ path: string; size: number }> {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    const target = await resolveTarget(session, wanted, path);
    const { directory } = splitPath(target.path);
    const temporary = `${directory.replace(/\/$/, '')}/.vc-upload-${randomBytes(8).toString('hex')}`;
    const wantedMode = mode ?? target.mode;
    try {
      const handle = await session.ask<Buffer>((done) =>
        // Writable by its owner, whose program may open it too.
        session.sftp.open(temporary, 'wx', { mode: (wantedMode ?? 0o666) | 0o200 }, done),
      );
      const size = await pour(data, {
        writer: new SftpWriter(session, handle),
        directFrom: expectedBytes < DIRECT_BYTES ? DIRECT_BYTES : 0,
        openDirect: (start) =>
          openDirect(connection, { path: temporary, way: 'write', start }, signal),
      });
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

interface PourOptions {
  readonly writer: SftpWriter;
  /** Bytes after which the rest bypasses SSH, if the file can be opened so. */
  readonly directFrom: number;
  openDirect(start: number): Promise<DirectTransfer | undefined>;
}

/** Writes all chunks; resolves to the number of bytes. */
async function pour(
  data: AsyncIterable<Buffer>,
  { writer, directFrom, openDirect }: PourOptions,
): Promise<number> {
  let direct: DirectTransfer | undefined;
  let isDecided = false;
  let sent = 0;
  try {
    for await (const chunk of data) {
      if (!isDecided && writer.position >= directFrom) {
        isDecided = true;
        await writer.flush();
        direct = await openDirect(writer.position);
      }
      if (direct === undefined) await writer.write(chunk);
      else await sendDirect(direct, chunk);
      sent += chunk.length;
    }
    await writer.flush();
    if (direct !== undefined) await finishDirect(direct);
    return sent;
  } finally {
    direct?.close();
  }
}

/** Removes a failed upload's temporary file, in a new session, because its own may have ended. */
async function discard(connection: Connection, path: string): Promise<void> {
  await withSession(connection, undefined, (session) =>
    session.run((done) => session.sftp.unlink(path, done)),
  ).catch(() => undefined);
}
