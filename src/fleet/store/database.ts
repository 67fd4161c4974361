import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { ApiError } from '../../contract/errors.js';
import { makeDirectory } from '../../files/directory.js';
import { migrations } from './migrations.js';
import { inTransaction } from './transaction.js';

export type Db = Database.Database;

/** Where a state directory has its database. */
export function databaseFile(directory: string): string {
  return join(directory, 'vc.db');
}

/**
 * Opens the service's database in `directory`, made 0700 where it is missing, and brings its
 * schema up to date. The file is locked as long as it is open, so that two services never share a
 * state; the kernel drops the lock when the process dies, however it dies.
 */
export function openDatabase(directory: string): Db {
  makeDirectory(directory);
  chmodSync(directory, 0o700);
  const path = databaseFile(directory);
  const previous = process.umask(0o077);
  let db: Db | undefined;
  try {
    db = new Database(path);
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    bringUpToDate(db);
    return db;
  } catch (cause) {
    if (db) release(db);
    throw openingError(path, cause);
  } finally {
    process.umask(previous);
  }
}

/**
 * Closes the database and gives up its lock. Statements that wait for the garbage collector keep
 * the file open, and with it an exclusive lock, so the lock is taken back by hand.
 */
export function closeDatabase(db: Db): void {
  db.pragma('journal_mode = DELETE');
  db.pragma('locking_mode = NORMAL');
  db.prepare('SELECT count(*) FROM service').get();
  db.close();
}

/** Gives up what could not be opened to the end; another process may have it locked. */
function release(db: Db): void {
  try {
    closeDatabase(db);
  } catch {
    db.close();
  }
}

/** Applies what is missing of the schema. Throws when the database is of a later vc. */
export function bringUpToDate(db: Db): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as {
    user_version: number;
  };
  if (version > migrations.length) {
    const schemas = `schema ${version}, this one knows ${migrations.length}`;
    throw new NewerSchema(`it is of a newer vc (${schemas})`);
  }
  migrations.slice(version).forEach((sql, index) => {
    inTransaction(db, () => {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version + index + 1}`);
    });
  });
}

class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

function adviceFor(cause: unknown, reason: string): string {
  if (cause instanceof NewerSchema)
    return `${reason}; use that one, or choose another directory with --state`;
  if (/locked|busy/i.test(reason))
    return 'another vc serve uses this state directory; stop it, or choose another one with --state';
  return `${reason}; check the directory's permissions and free space, or choose another with --state`;
}

function openingError(path: string, cause: unknown): ApiError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = adviceFor(cause, reason);
  return new ApiError('internal', `Cannot open ${path}: ${advice}.`, { cause });
}
