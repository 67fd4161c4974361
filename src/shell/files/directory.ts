import type { FileEntryWithStats, Stats } from 'ssh2';
import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { fileError, isEnd } from './errors.js';
import { guestPath } from './path.js';
import { type FileSession, withSession } from './session.js';
import type { Entry, EntryType } from './types.js';

/** Most entries in a listing, which is held in memory. */
const MOST_ENTRIES = 50_000;
/** What a batch without entries counts for. */
const EMPTY_BATCH = 100;
/** Most characters of all names in a listing, and of all targets of its links. */
const MOST_CHARACTERS = 8 << 20;
/** Longest name: 255 bytes on Linux, 255 UTF-16 units on Windows. */
const MOST_NAME = 255;
/** Longest target of a link (PATH_MAX). */
const MOST_TARGET = 4096;
/** Number of links read at once. */
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
      throw fileError(error, 'access', path);
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

/** The entries of a directory, without `.` and `..`; not all if `enough` are fewer. */
export async function readAll(
  session: FileSession,
  absolute: string,
  path: string,
  enough = Number.POSITIVE_INFINITY,
): Promise<Entry[]> {
  const { sftp } = session;
  const handle = await session.ask<Buffer>((done) => sftp.opendir(absolute, done));
  const entries: Entry[] = [];
  let received = 0;
  let characters = 0;
  for (;;) {
    const batch = await session
      .ask<FileEntryWithStats[]>((done) => sftp.readdir(handle, done))
      .catch((error: unknown) => {
        if (isEnd(error)) return undefined;
        throw error;
      });
    if (batch === undefined || entries.length >= enough) return entries;
    for (const { filename, attrs } of batch) {
      if (filename.length > MOST_NAME) {
        const message = `The computer listed a name of ${filename.length} characters in ${JSON.stringify(path)}.`;
        throw new ApiError('guest_failed', message);
      }
      characters += filename.length;
      if (filename !== '.' && filename !== '..') entries.push(describe(filename, attrs));
    }
    // An empty batch counts too: a hostile guest can send them without end, and ssh2 drops `.` and
    // `..` from batches before they get here.
    received += batch.length || EMPTY_BATCH;
    if (received > MOST_ENTRIES) {
      const message = `${JSON.stringify(path)} has more than ${MOST_ENTRIES} entries.`;
      throw new ApiError('invalid_request', message);
    }
    if (characters > MOST_CHARACTERS) throw tooLong(path);
  }
}

function tooLong(path: string): ApiError {
  return new ApiError(
    'invalid_request',
    `The names in ${JSON.stringify(path)} are too long to list.`,
  );
}

async function withTargets(
  session: FileSession,
  directory: string,
  entries: Entry[],
): Promise<Entry[]> {
  const links = [...entries.entries()].filter(([, { type }]) => type === 'link').reverse();
  let characters = 0;
  const worker = async () => {
    for (let next = links.pop(); next !== undefined; next = links.pop()) {
      const [index, link] = next;
      const path = `${directory.replace(/\/$/, '')}/${link.name}`;
      const target = await session
        .ask<string>((done) => session.sftp.readlink(path, done))
        .catch(() => undefined);
      if (target === undefined || target.length > MOST_TARGET) continue;
      characters += target.length;
      if (characters > MOST_CHARACTERS) throw tooLong(directory);
      entries[index] = { ...link, target };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return entries;
}

function describe(name: string, stats: Stats | FileEntryWithStats['attrs']): Entry {
  // A server may leave any of them out.
  const { mode = 0, size = 0, mtime = 0 } = stats as Partial<Stats>;
  return { name, type: typeOf(mode), size, mode: mode & 0o7777, mtime };
}

/** POSIX file type bits of a mode. */
const TYPES: ReadonlyMap<number, EntryType> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'link'],
]);

function typeOf(mode: number): EntryType {
  return TYPES.get(mode & 0o170000) ?? 'other';
}
