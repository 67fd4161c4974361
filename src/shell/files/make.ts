import type { Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { fileError, ifExists } from './errors.js';
import { guestPath, withoutSlash } from './path.js';
import { type FileSession, withSession } from './session.js';
import type { DirectoryOptions } from './types.js';

export function makeDirectory(
  connection: Connection,
  path: string,
  { mode, recursive = false, signal }: DirectoryOptions = {},
) {
  const wanted = withoutSlash(guestPath(path));
  return withSession(connection, signal, async (session) => {
    try {
      const existing = await ifExists(session.stat(wanted));
      if (existing !== undefined && !existing.isDirectory()) {
        throw new ApiError('invalid_request', `${JSON.stringify(path)} is not a directory.`);
      }
      if (existing === undefined) {
        if (recursive) await makeParents(session, wanted);
        await session.run((done) => session.sftp.mkdir(wanted, { mode: mode ?? 0o777 }, done));
      }
      return { path: await session.realpath(wanted), created: existing === undefined };
    } catch (error) {
      throw fileError(error, 'create', path);
    }
  });
}

export function makeLink(
  connection: Connection,
  path: string,
  target: string,
  signal?: AbortSignal,
) {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    const { sftp } = session;
    try {
      const existing = await ifExists(session.ask<Stats>((done) => sftp.lstat(wanted, done)));
      if (existing !== undefined && !existing.isSymbolicLink()) {
        throw new ApiError('invalid_request', `${JSON.stringify(path)} exists and is not a link.`);
      }
      if (existing !== undefined) await session.run((done) => sftp.unlink(wanted, done));
      await session.run((done) => sftp.symlink(target, wanted, done));
      return { path };
    } catch (error) {
      throw fileError(error, 'create', path);
    }
  });
}

/** Creates the directories above `path` that are missing. */
async function makeParents(session: FileSession, path: string): Promise<void> {
  const parts = path.split('/');
  for (let end = 1; end < parts.length; end += 1) {
    const parent = parts.slice(0, end).join('/');
    if (parent === '' || parts[end - 1] === '') continue;
    if ((await ifExists(session.stat(parent))) !== undefined) continue;
    await session.run((done) => session.sftp.mkdir(parent, { mode: 0o777 }, done));
  }
}
