import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { ApiError } from '../../contract/errors.js';
import { makeOwnDirectory } from '../../engines/local-host.js';
import { withPrivateFiles } from '../../lib/fs/private-files.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { SCHEMA, SCHEMA_VERSION } from './schema.js';
import { inTransaction } from './transaction.js';

export type Db = Database.Database;
export type Statement = ReturnType<Db['prepare']>;

/** The database file in a state directory. */
export function databaseFile(directory: string): string {
  return join(directory, 'vc.db');
}

/**
 * Opens the service's database in `directory`, which is created with mode 0700. Another user's
 * directory and another version's schema are refused. The file stays locked while it is open, so that two
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
    createSchema(db);
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

/** The version of a database's schema; 0 for an empty one. */
export function schemaVersion(db: Db): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

/** Creates the schema of an empty database. Throws for one of another schema version. */
function createSchema(db: Db): void {
  const version = schemaVersion(db);
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) {
    throw new OtherSchema(
      `another version of vc wrote it (schema ${version}; this version uses ${SCHEMA_VERSION})`,
    );
  }
  inTransaction(db, () => {
    db.exec(SCHEMA);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

class OtherSchema extends Error {
  override readonly name = 'OtherSchema';
}

function openingError(path: string, cause: unknown): ApiError {
  let reason = errorMessage(cause);
  let remedy = "Check the directory's permissions and free space";
  if (cause instanceof OtherSchema) remedy = 'Use that version';
  else if (/locked|busy/i.test(reason)) {
    reason = 'another vc serve uses this state directory';
    remedy = 'Stop it (vc service stop)';
  }
  return new ApiError('internal', `Cannot open ${path}: ${reason}.`, {
    remedy: `${remedy}, or choose another directory with --state`,
    cause,
  });
}
