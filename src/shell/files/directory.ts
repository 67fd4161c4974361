import type { FileEntryWithStats, Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { fileError, isEnd, isMissing } from './errors.js';
import { guestPath } from './path.js';
import { type FileSession, withSession } from './session.js';
import type { Entry, EntryType, UploadOptions } from './types.js';

/** A listing has at most so many entries; it is held in memory. */
export const MOST_ENTRIES = 50_000;

/** Links whose targets are asked for at once. */
const AT_ONCE = 64;

export function entry(connection: Connection, path: string, signal?: AbortSignal) {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    try {
      const stats = await session.stat(wanted);
      const absolute = await session.realpath(wanted);
      const name = absolute.slice(absolute.lastIndexOf('/') + 1) || '/';
      return { path: absolute, ...describe(name, stats) };
    } catch (error) {
      throw fileError(error, 'look at', path);
    }
  });
}

export function list(connection: Connection, path: string, signal?: AbortSignal) {
  const wanted = guestPath(path);
  return withSession(connection, signal, async (session) => {
    try {
      const absolute = await session.realpath(wanted);
      if (!(await session.stat(absolute)).isDirectory()) {
        throw new ApiError('invalid_request', `${JSON.stringify(path)} is not a directory.`);
      }
      const found = await readAll(session, absolute, path);
      found.sort((a, b) => (a.name < b.name ? -1 : 1));
      return { path: absolute, entries: await withTargets(session, absolute, found) };
    } catch (error) {
      throw fileError(error, 'list', path);
    }
  });
}

async function readAll(session: FileSession, absolute: string, path: string): Promise<Entry[]> {
  const { sftp } = session;
  const handle = await session.ask<Buffer>((done) => sftp.opendir(absolute, done));
  const entries: Entry[] = [];
  for (;;) {
    const batch = await session
      .ask<FileEntryWithStats[]>((done) => sftp.readdir(handle, done))
      .catch((error: unknown) => {
        if (isEnd(error)) return undefined;
        throw error;
      });
    if (batch === undefined) return entries;
    for (const { filename, attrs } of batch) {
      if (filename !== '.' && filename !== '..') entries.push(describe(filename, attrs));
    }
    if (entries.length > MOST_ENTRIES) {
      const message = `${JSON.stringify(path)} has more than ${MOST_ENTRIES} entries.`;
      throw new ApiError('invalid_request', message);
    }
  }
}

async function withTargets(
  session: FileSession,
  directory: string,
  entries: Entry[],
): Promise<Entry[]> {
  const links = [...entries.entries()].filter(([, { type }]) => type === 'link');
  const worker = async () => {
    for (let next = links.shift(); next !== undefined; next = links.shift()) {
      const [index, link] = next;
      const path = `${directory.replace(/\/$/, '')}/${link.name}`;
      const target = await session
        .ask<string>((done) => session.sftp.readlink(path, done))
        .catch(() => undefined);
      if (target !== undefined) entries[index] = { ...link, target };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return entries;
}

export function makeDirectory(
  connection: Connection,
  path: string,
  { mode, signal }: UploadOptions = {},
) {
  const wanted = guestPath(path).replace(/(?<=.)\/+$/, '');
  return withSession(connection, signal, async (session) => {
    try {
      const there = await statIfThere(session, wanted);
      if (there !== undefined && !there.isDirectory()) {
        throw new ApiError('invalid_request', `${JSON.stringify(path)} is not a directory.`);
      }
      if (there === undefined) {
        await session.ask<void>((done) =>
          session.sftp.mkdir(wanted, { mode: mode ?? 0o777 }, (error) => done(error, undefined)),
        );
      }
      return { path: await session.realpath(wanted), created: there === undefined };
    } catch (error) {
      throw fileError(error, 'make', path);
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
      const there = await session
        .ask<Stats>((done) => sftp.lstat(wanted, done))
        .catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        });
      if (there !== undefined && !there.isSymbolicLink()) {
        throw new ApiError('invalid_request', `${JSON.stringify(path)} is there and is no link.`);
      }
      if (there !== undefined) {
        await session.ask<void>((done) => sftp.unlink(wanted, (error) => done(error, undefined)));
      }
      await session.ask<void>((done) =>
        sftp.symlink(target, wanted, (error) => done(error, undefined)),
      );
      return { path };
    } catch (error) {
      throw fileError(error, 'make', path);
    }
  });
}

function statIfThere(session: FileSession, path: string): Promise<Stats | undefined> {
  return session.stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

function describe(name: string, stats: Stats | FileEntryWithStats['attrs']): Entry {
  const { mode, size, mtime } = stats;
  return { name, type: typeOf(mode), size, mode: mode & 0o7777, mtime };
}

/** File type bits of a mode, as POSIX has them. */
const TYPES: ReadonlyMap<number, EntryType> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'link'],
]);

function typeOf(mode: number): EntryType {
  return TYPES.get(mode & 0o170000) ?? 'other';
}
