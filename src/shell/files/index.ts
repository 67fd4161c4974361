import type { Connection } from '../connection.js';
import { entry, list } from './directory.js';
import { makeDirectory, makeLink } from './make.js';
import { readFile } from './read.js';
import { remove, rename } from './remove.js';
import type { Files } from './types.js';
import { writeFile } from './write.js';

/** The files of a connection's guest. Each call opens its own SFTP session. */
export function openFiles(connection: Connection): Files {
  return {
    read: (path, use, signal) => readFile(connection, path, use, signal),
    write: (path, data, options) => writeFile(connection, path, data, options),
    entry: (path, signal) => entry(connection, path, signal),
    list: (path, signal) => list(connection, path, signal),
    makeDirectory: (path, options) => makeDirectory(connection, path, options),
    makeLink: (path, target, signal) => makeLink(connection, path, target, signal),
    remove: (path, options) => remove(connection, path, options),
    rename: (path, newPath, signal) => rename(connection, path, newPath, signal),
  };
}
