import type { Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { readAll } from './directory.js';
import { fileError } from './errors.js';
import { guestPath } from './path.js';
import { replace } from './replace.js';
import { type FileSession, withSession } from './session.js';
import type { RemoveOptions } from './types.js';

/** Deepest directory that is removed; a path of 4,096 characters cannot be deeper. */
const DEEPEST = 2048;

export function remove(
  connection: Connection,
  path: string,
  { recursive = false, signal }: RemoveOptions = {},
): Promise<void> {
  const wanted = withoutSlash(guestPath(path));
  return withSession(connection, signal, async (session) => {
    const { sftp } = session;
    try {
      const stats = await session.ask<Stats>((done) => sftp.lstat(wanted, done));
      if (!stats.isDirectory()) return await session.run((done) => sftp.unlink(wanted, done));
      if (recursive) return await removeAll(session, wanted, 0);
      if ((await readAll(session, wanted, path)).length > 0) {
        const message = `The directory ${JSON.stringify(path)} is not empty.`;
        throw new ApiError('invalid_request', message, { remedy: 'Remove it with recursive.' });
      }
      await session.run((done) => sftp.rmdir(wanted, done));
    } catch (error) {
      throw fileError(error, 'remove', path);
    }
  });
}

/** Removes a directory and what is in it; links in it are removed and not followed. */
async function removeAll(session: FileSession, directory: string, depth: number): Promise<void> {
  const { sftp } = session;
  if (depth > DEEPEST) throw new ApiError('invalid_request', 'The directory is nested too deep.');
  for (const { name, type } of await readAll(session, directory, directory)) {
    const path = `${directory}/${name}`;
    if (type === 'directory') await removeAll(session, path, depth + 1);
    else await session.run((done) => sftp.unlink(path, done));
  }
  await session.run((done) => sftp.rmdir(directory, done));
}

export function rename(
  connection: Connection,
  path: string,
  newPath: string,
  signal?: AbortSignal,
): Promise<{ path: string }> {
  const [from, to] = [withoutSlash(guestPath(path)), withoutSlash(guestPath(newPath))];
  return withSession(connection, signal, async (session) => {
    try {
      await session.ask<Stats>((done) => session.sftp.lstat(from, done));
    } catch (error) {
      throw fileError(error, 'rename', path);
    }
    try {
      await replace(session, from, to);
      const parent = to.includes('/') ? to.slice(0, to.lastIndexOf('/')) || '/' : '.';
      // Its own path would be that of the target if it is a link.
      const directory = await session.realpath(parent);
      return { path: `${directory.replace(/\/$/, '')}/${to.slice(to.lastIndexOf('/') + 1)}` };
    } catch (error) {
      throw fileError(error, 'rename to', newPath);
    }
  });
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}
