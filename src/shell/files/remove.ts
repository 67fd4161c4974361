import type { Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { readAll } from './directory.js';
import { fileError } from './errors.js';
import { guestPath, withoutSlash } from './path.js';
import { replace } from './replace.js';
import { type FileSession, withSession } from './session.js';
import type { RemoveOptions } from './types.js';

/** Longest path (PATH_MAX), which also limits the depth. */
const MOST_PATH = 4096;
/** Most entries of a directory tree, and of the lists that are in memory at once. */
const MOST_ENTRIES = 1_000_000;
const MOST_LISTED = 200_000;
const REMOVE_MS = 600_000;

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
      if (recursive) return await new TreeRemoval(session, path).run(wanted);
      if ((await readAll(session, wanted, path, 1)).length > 0) {
        const message = `The directory ${JSON.stringify(path)} is not empty.`;
        throw new ApiError('invalid_request', message, { remedy: 'Remove it with recursive.' });
      }
      await session.run((done) => sftp.rmdir(wanted, done));
    } catch (error) {
      throw fileError(error, 'remove', path);
    }
  });
}

/**
 * Removes a directory and what is in it; links in it are removed and not followed. A guest may list
 * entries without end, so their number and the time are limited.
 */
class TreeRemoval {
  readonly #session: FileSession;
  /** As the caller wrote it. */
  readonly #root: string;
  readonly #until = performance.now() + REMOVE_MS;
  #seen = 0;
  #listed = 0;

  constructor(session: FileSession, root: string) {
    this.#session = session;
    this.#root = root;
  }

  async run(directory: string): Promise<void> {
    const { sftp } = this.#session;
    const entries = await readAll(this.#session, directory, directory);
    this.#seen += entries.length;
    this.#listed += entries.length;
    if (this.#seen > MOST_ENTRIES || this.#listed > MOST_LISTED) this.#refuse('too many entries');
    for (const { name, type } of entries) {
      const path = `${directory}/${name}`;
      if (path.length > MOST_PATH) this.#refuse('too long paths');
      if (performance.now() > this.#until) {
        const message = `Removing ${JSON.stringify(this.#root)} took longer than ten minutes.`;
        throw new ApiError('guest_timeout', message);
      }
      if (type === 'directory') await this.run(path);
      else await this.#session.run((done) => sftp.unlink(path, done));
    }
    this.#listed -= entries.length;
    await this.#session.run((done) => sftp.rmdir(directory, done));
  }

  #refuse(what: string): never {
    const message = `The directory ${JSON.stringify(this.#root)} has ${what} to be removed.`;
    throw new ApiError('invalid_request', message, {
      remedy: 'Remove it with a command: vc bash COMPUTER',
    });
  }
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
