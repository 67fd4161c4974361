import { existsSync, readFileSync } from 'node:fs';
import Database from 'libsql';
import { ApiError } from '../../../contract/errors.js';
import { withPrivateFiles } from '../../../lib/fs/private-files.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { type Db, schemaVersion } from '../database.js';
import { SCHEMA_VERSION } from '../schema.js';
import { keyFile } from '../secret-box.js';
import { inTransaction } from '../transaction.js';
import { readStateFiles, stateFiles } from './state-files.js';

/** Description of a backup, stored in it. */
export interface BackupFacts {
  /** Version of the file format. */
  readonly format: 1;
  /** Version of vc that wrote it. */
  readonly version: string;
  readonly created_at: string;
  /** Images of its computers. */
  readonly images: readonly { readonly engine: string; readonly name: string }[];
}

/**
 * Writes a consistent copy of the open database to the new file `path`, with an additional table for
 * the backup's description, the key of the stored secrets and the engines' small files, so its mode
 * is 0600. Blocks the process: about a second for 100 MB.
 */
export function writeBackup(db: Db, directory: string, path: string, version: string): BackupFacts {
  return withPrivateFiles(() => {
    db.prepare('VACUUM INTO ?').run(path);
    return complete(path, directory, version);
  });
}

function complete(path: string, directory: string, version: string): BackupFacts {
  const copy = new Database(path);
  try {
    const facts: BackupFacts = {
      format: 1,
      version,
      created_at: new Date().toISOString(),
      images: copy
        .prepare(`SELECT DISTINCT engine, image AS name FROM computers WHERE source IS NULL
           ORDER BY engine, image`)
        .all() as BackupFacts['images'],
    };
    const key = keyFile(directory);
    inTransaction(copy, () => {
      copy.exec('CREATE TABLE backup (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT');
      const insert = copy.prepare('INSERT INTO backup VALUES (?, ?)');
      insert.run('facts', Buffer.from(JSON.stringify(facts)));
      if (existsSync(key)) insert.run('secret.key', readFileSync(key));
      for (const [name, bytes] of readStateFiles(directory)) insert.run(FILE + name, bytes);
    });
    return facts;
  } finally {
    copy.close();
  }
}

/** Begins the names of {@link stateFiles} in a backup. */
const FILE = 'file:';

/** Contents of a backup. */
export interface OpenedBackup {
  readonly facts: BackupFacts;
  /** Undefined when nothing was ever encrypted. */
  readonly secretKey: Buffer | undefined;
  /** The engines' small files, by their paths in a state directory. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly counts: {
    readonly owners: number;
    readonly projects: number;
    readonly computers: number;
  };
}

/**
 * Turns a copy of a backup into the database of a service: checks its integrity and removes the
 * backup's own table. Throws ApiError `invalid_request` for a file that is damaged, not a backup, or
 * made by another version of vc.
 */
export function unpackBackup(path: string): OpenedBackup {
  return withBackup(path, (db, { facts, secretKey, files, ...found }) => {
    if (found.schema !== SCHEMA_VERSION || facts.format !== 1) {
      const message = `It was made by another version of vc (${facts.version}).`;
      throw new ApiError('invalid_request', message, { remedy: 'Restore it with that version.' });
    }
    refuseDamaged(db);
    // Do not leave the key in free pages of the database.
    db.pragma('secure_delete = ON');
    db.exec('DROP TABLE backup');
    // Keep machines that are not in the backup: they may be newer than it.
    db.exec('DELETE FROM strangers');
    // They may have ended after the backup.
    db.exec('DELETE FROM sessions');
    db.exec('DELETE FROM publications');
    db.prepare('UPDATE service SET restored_at = ?').run(new Date().toISOString());
    return { facts, secretKey, files, counts: found.counts };
  });
}

/** Describes a backup without changing it. Throws as {@link unpackBackup} does. */
export function describeBackup(path: string): Omit<OpenedBackup, 'secretKey' | 'files'> {
  return withBackup(path, (_, { facts, counts }) => ({ facts, counts }));
}

function withBackup<T>(
  path: string,
  work: (db: Db, found: OpenedBackup & { readonly schema: number }) => T,
): T {
  let db: Db | undefined;
  try {
    db = new Database(path, { fileMustExist: true });
    return work(db, read(db));
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    const reason = errorMessage(cause);
    throw new ApiError('invalid_request', `It is not a whole backup of vc: ${reason}.`, {
      remedy: 'Use a file that vc backup wrote.',
      cause,
    });
  } finally {
    db?.close();
  }
}

function read(db: Db): OpenedBackup & { readonly schema: number } {
  const select = db.prepare('SELECT value FROM backup WHERE name = ?');
  const value = (name: string) => (select.get(name) as { value: Buffer } | undefined)?.value;
  const count = (table: string) =>
    (db.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
  const secretKey = value('secret.key');
  // Only known names: whatever else the file holds is written nowhere.
  const files = stateFiles().flatMap((name): [string, Buffer][] => {
    const bytes = value(FILE + name);
    return bytes === undefined ? [] : [[name, Buffer.from(bytes)]];
  });
  return {
    facts: JSON.parse(Buffer.from(value('facts') ?? []).toString()),
    secretKey: secretKey && Buffer.from(secretKey),
    files: new Map(files),
    counts: { owners: count('owners'), projects: count('projects'), computers: count('computers') },
    schema: schemaVersion(db),
  };
}

function refuseDamaged(db: Db): void {
  const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  const damage = rows.map(({ integrity_check }) => integrity_check).filter((row) => row !== 'ok');
  if (damage.length === 0) return;
  throw new ApiError('invalid_request', `It is damaged: ${damage[0]}.`, {
    remedy: 'Use another backup.',
  });
}
