import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { ApiError } from '../../contract/errors.js';
import { makeOwnDirectory } from '../../engines/local-host.js';
import { withPrivateFiles } from '../../lib/fs/private-files.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { migrations } from './migrations.js';
import { inTransaction } from './transaction.js';

export type Db = Database.Database;
export type Statement = ReturnType<Db['prepare']>;

/** The database file in a state directory. */
export function databaseFile(directory: string): string {
  return join(directory, 'vc.db');
}

/**
 * Opens the service's database in `directory`, which is created with mode 0700, and migrates its
 * schema. Another user's directory is refused. The file stays locked while it is open, so that two
 * services never share a state directory; the kernel releases the lock when the process exits or
 * crashes.
 */
export function openDatabase(directory: string): Db {
  makeOwnDirectory(directory);
  chmodSync(directory, 0o700);
  const path = databaseFile(directory);
  return withPrivateFiles(() => open(path));
}

function open(path: string): Db {
  let db: Db | undefined;
  try {
    db = new Database(path);
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    migrate(db);
    return db;
  } catch (cause) {
    if (db) release(db);
    throw openingError(path, cause);
  }
}

/**
 * Closes the database and releases its lock explicitly: statements that are not yet garbage-collected
 * keep the file open.
 */
export function closeDatabase(db: Db): void {
  db.pragma('journal_mode = DELETE');
  db.pragma('locking_mode = NORMAL');
  db.prepare('SELECT count(*) FROM service').get();
  db.close();
}

/** Closes a database that failed to open; another process may hold its lock. */
function release(db: Db): void {
  try {
    closeDatabase(db);
  } catch {
    db.close();
  }
}

/**
 * Applies missing migrations, all or none: one transaction waits for the disk once. Throws if the
 * database is of a newer vc.
 */
export function migrate(db: Db): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as {
    user_version: number;
  };
  if (version > migrations.length) {
    const schemas = `schema ${version}, this version supports up to ${migrations.length}`;
    throw new NewerSchema(`it was written by a newer vc (${schemas})`);
  }
  if (version === migrations.length) return;
  inTransaction(db, () => {
    for (const sql of migrations.slice(version)) db.exec(sql);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

function openingError(path: string, cause: unknown): ApiError {
  let reason = errorMessage(cause);
  let remedy = "Check the directory's permissions and free space";
  if (cause instanceof NewerSchema) remedy = 'Use that version';
  else if (/locked|busy/i.test(reason)) {
    reason = 'another vc serve uses this state directory';
    remedy = 'Stop it (vc service stop)';
  }
  return new ApiError('internal', `Cannot open ${path}: ${reason}.`, {
    remedy: `${remedy}, or choose another directory with --state`,
    cause,
  });
}
