import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import type { Connection } from '../connection.js';
import { entry, list } from './directory.js';
import { makeDirectory, makeLink } from './make.js';
import { readFile } from './read.js';
import { remove, rename } from './remove.js';
import type { Files } from './types.js';
import { writeFile } from './write.js';

/** Listings of a computer at once, and removals of directories: both keep many names in memory. */
const LISTINGS = 4;
const REMOVALS = 2;

/** The files of a connection's guest. Each call opens its own SFTP session. */
export function openFiles(connection: Connection): Files {
  const listings = new ConcurrencyLimit(LISTINGS);
  const removals = new ConcurrencyLimit(REMOVALS);
  return {
    read: (path, use, signal) => readFile(connection, path, use, signal),
    write: (path, data, options) => writeFile(connection, path, data, options),
    entry: (path, signal) => entry(connection, path, signal),
    list: (path, signal) => listings.run(() => list(connection, path, signal)),
    makeDirectory: (path, options) => makeDirectory(connection, path, options),
    makeLink: (path, target, signal) => makeLink(connection, path, target, signal),
    remove: (path, options) => {
      const removing = () => remove(connection, path, options);
      return options?.recursive ? removals.run(removing) : removing();
    },
    rename: (path, newPath, signal) => rename(connection, path, newPath, signal),
  };
}
