import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import Database from 'libsql';
import { ApiError } from '../../contract/errors.js';
import { makeDirectory } from '../../files/directory.js';
import { type OpenedBackup, unpackBackup } from './backup.js';
import { type Db, databaseFile } from './database.js';
import { keyFile } from './sealer.js';

export interface Restored extends Omit<OpenedBackup, 'secretKey'> {
  /** Where the state lies now that was there before. */
  readonly replaced: string | undefined;
}

/** True when the directory holds the state of a service. */
export function hasState(directory: string): boolean {
  return existsSync(databaseFile(directory));
}

/**
 * Makes a backup the state of the service in `directory`. A state that is there already is kept
 * beside, in a directory of its own. The database comes last: a crash before leaves no half state.
 *
 * Throws ApiError `invalid_request` for what is no whole backup, `conflict` when a service runs
 * there; then nothing was changed.
 */
export function restoreState(directory: string, backup: string): Restored {
  makeDirectory(directory);
  const previous = process.umask(0o077);
  let held = hasState(directory) ? hold(directory) : undefined;
  const part = mkdtempSync(join(directory, '.restore-'));
  try {
    const database = databaseFile(part);
    copyFileSync(backup, database);
    chmodSync(database, 0o600);
    const { secretKey, ...found } = unpackBackup(database);
    if (secretKey) writeFileSync(keyFile(part), secretKey, { mode: 0o600, flush: true });
    // What is not in the database yet is written into it now.
    letGo(held);
    held = undefined;
    const replaced = putAside(directory);
    if (secretKey) renameSync(keyFile(part), keyFile(directory));
    renameSync(database, databaseFile(directory));
    return { ...found, replaced };
  } finally {
    rmSync(part, { recursive: true, force: true });
    letGo(held);
    process.umask(previous);
  }
}

/** Keeps services from starting there. A database that is damaged is no hindrance to its restoration. */
function hold(directory: string): Db | undefined {
  const path = databaseFile(directory);
  try {
    const db = new Database(path);
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return db;
  } catch (cause) {
    if (!/locked|busy/i.test(String(cause))) return undefined;
    const message = `A service runs in ${directory}; stop it first.`;
    throw new ApiError('conflict', message, { cause });
  }
}

/** Closing alone would keep the lock until the connection's statements are collected. */
function letGo(db: Db | undefined): void {
  if (db === undefined) return;
  try {
    db.pragma('locking_mode = NORMAL');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
  } finally {
    db.close();
  }
}

/** The files of the present state, out of the way; undefined when there are none. */
function putAside(directory: string): string | undefined {
  const database = databaseFile(directory);
  const files = [database, `${database}-wal`, `${database}-shm`, keyFile(directory)];
  const present = files.filter((path) => existsSync(path));
  if (present.length === 0) return undefined;
  const aside = mkdtempSync(join(directory, 'replaced-'));
  for (const path of present) renameSync(path, join(aside, basename(path)));
  return aside;
}
