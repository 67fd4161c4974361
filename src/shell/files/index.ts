import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import type { Connection } from '../connection.js';
import { entry, list } from './directory.js';
import { makeDirectory, makeLink } from './make.js';
import { readFile } from './read.js';
import { remove, rename } from './remove.js';
import { systemPath } from './system-path.js';
import type { Files } from './types.js';
import { writeFile } from './write.js';

/** Listings of a computer at once, and removals of directories: both keep many names in memory. */
const LISTINGS = 4;
const REMOVALS = 2;

/** The files of a connection's guest. Each call opens its own SFTP session. */
export function openFiles(connection: Connection): Files {
  const listings = new ConcurrencyLimit(LISTINGS);
  const removals = new ConcurrencyLimit(REMOVALS);
  const found = (path: string, signal?: AbortSignal) => systemPath(connection, path, signal);
  return {
    read: async (path, use, signal) => readFile(connection, await found(path, signal), use, signal),
    write: async (path, data, options) =>
      writeFile(connection, await found(path, options?.signal), data, options),
    entry: async (path, signal) => entry(connection, await found(path, signal), signal),
    list: async (path, signal) => {
      const there = await found(path, signal);
      return listings.run(() => list(connection, there, signal));
    },
    makeDirectory: async (path, options) =>
      makeDirectory(connection, await found(path, options?.signal), options),
    makeLink: async (path, target, signal) =>
      makeLink(connection, await found(path, signal), target, signal),
    remove: async (path, options) => {
      const there = await found(path, options?.signal);
      const removing = () => remove(connection, there, options);
      return options?.recursive ? removals.run(removing) : removing();
    },
    rename: async (path, newPath, signal) =>
      rename(connection, await found(path, signal), await found(newPath, signal), signal),
  };
}
