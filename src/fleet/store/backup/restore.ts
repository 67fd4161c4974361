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
import { ApiError } from '../../../contract/errors.js';
import { makeOwnDirectory } from '../../../engines/local-host.js';
import { withPrivateFiles } from '../../../lib/fs/private-files.js';
import { type Db, databaseFile } from '../database.js';
import { keyFile } from '../secret-box.js';
import { type OpenedBackup, unpackBackup } from './backup.js';
import { moveStateFiles, writeStateFiles } from './state-files.js';

export interface Restored extends Omit<OpenedBackup, 'secretKey' | 'files'> {
  /** Where the previous state was moved to. */
  readonly replaced: string | undefined;
}

/** True when the directory holds the state of a service. */
export function hasState(directory: string): boolean {
  return existsSync(databaseFile(directory));
}

/**
 * Restores the state of the service in `directory` from a backup. An existing state is moved to a
 * directory beside it. The database is moved last, so that a crash leaves no partial state.
 *
 * Throws ApiError `invalid_request` for an incomplete backup, `conflict` when a service runs
 * there, `forbidden` for another user's directory; then nothing was changed.
 */
export function restoreState(directory: string, backup: string): Restored {
  makeOwnDirectory(directory);
  return withPrivateFiles(() => restore(directory, backup));
}

function restore(directory: string, backup: string): Restored {
  let held = hasState(directory) ? lock(directory) : undefined;
  const part = mkdtempSync(join(directory, '.restore-'));
  try {
    const database = databaseFile(part);
    copyFileSync(backup, database);
    chmodSync(database, 0o600);
    const { secretKey, files, ...found } = unpackBackup(database);
    if (secretKey) writeFileSync(keyFile(part), secretKey, { mode: 0o600, flush: true });
    writeStateFiles(part, files);
    // Closing writes the rest of the journal into the database.
    unlock(held);
    held = undefined;
    const replaced = putAside(directory, [...files.keys()]);
    if (secretKey) renameSync(keyFile(part), keyFile(directory));
    moveStateFiles(part, directory, files.keys());
    renameSync(database, databaseFile(directory));
    return { ...found, replaced };
  } finally {
    rmSync(part, { recursive: true, force: true });
    unlock(held);
  }
}

/** Locks the database, so that no service starts there. A damaged database can be replaced too. */
function lock(directory: string): Db | undefined {
  const path = databaseFile(directory);
  try {
    const db = new Database(path);
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return db;
  } catch (cause) {
    if (!/locked|busy/i.test(String(cause))) return undefined;
    const message = `A service runs in ${directory}.`;
    throw new ApiError('conflict', message, { remedy: 'Stop it first.', cause });
  }
}

/** Closing alone would keep the lock until the connection's statements are collected. */
function unlock(db: Db | undefined): void {
  if (db === undefined) return;
  try {
    db.pragma('locking_mode = NORMAL');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
  } finally {
    db.close();
  }
}

/**
 * Moves the existing state to a new directory, with those of the engines' files that the backup has
 * too; undefined if there is none.
 */
function putAside(directory: string, restored: readonly string[]): string | undefined {
  const database = databaseFile(directory);
  const files = [database, `${database}-wal`, `${database}-shm`, keyFile(directory)];
  const present = files.filter((path) => existsSync(path));
  const replaced = restored.filter((name) => existsSync(join(directory, name)));
  if (present.length + replaced.length === 0) return undefined;
  const aside = mkdtempSync(join(directory, 'replaced-'));
  for (const path of present) renameSync(path, join(aside, basename(path)));
  moveStateFiles(directory, aside, replaced);
  return aside;
}
