import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { databaseFile } from '../../../src/fleet/store/database.js';
import { openStore } from '../../../src/fleet/store/index.js';
import { migrations } from '../../../src/fleet/store/migrations.js';

const SCHEMAS = fileURLToPath(new URL('schemas', import.meta.url));
const versions = readdirSync(SCHEMAS).map((name) => Number(name.replace('.sql', '')));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-store-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes a state as a vc with that schema version would. */
function write(version: number): void {
  const db = new Database(databaseFile(directory));
  db.exec(readFileSync(join(SCHEMAS, `${version}.sql`), 'utf8'));
  db.close();
}

/** Every table and index of a database; white space is normalized. */
function schemaOf(path: string): string[] {
  const db = new Database(path);
  const rows = db
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    .all() as { type: string; name: string; sql: string }[];
  db.close();
  return rows.map(({ type, name, sql }) => `${type} ${name}: ${sql.replace(/\s+/g, ' ')}`).sort();
}

it('has a fixture of every earlier schema', () => {
  expect(versions.sort((a, b) => a - b)).toEqual(
    Array.from({ length: migrations.length - 1 }, (_, i) => i + 1),
  );
});

it.each(versions)('migrates a state of schema %i with all its data', (version) => {
  write(version);
  const store = openStore(directory);
  expect(store.serviceId).toBe('srv_0123456789abcdefghjk');
  const owner = store.owners.findOwner('usr_0123456789abcdefghjk');
  expect(owner).toMatchObject({ name: 'default', max_running: 7, role: 'administrator' });
  expect(owner).toMatchObject({ created_by: null, deleting_by: null });
  const others = store.owners.listOwners().slice(1);
  expect(others.map(({ name, role }) => [name, role])).toEqual(
    version >= 7 ? [['second', 'member']] : [],
  );
  expect(store.keys.findByHash('ab'.repeat(32))).toMatchObject({ owner_id: owner?.id });
  expect(store.projects.list(owner?.id ?? '')).toMatchObject([
    { name: 'demo', deleting: 0, computer_count: 2 },
  ]);
  expect(store.computers.listOfProject('prj_0123456789abcdefghjk')).toMatchObject([
    {
      ...{ name: 'it\'s a "desk", 日本', status: 'running', ram: 4, width: 1024 },
      ...{ auto_stop_minutes: 30, started_at: '2026-01-02T03:04:05.000Z', private_key: 'private' },
      ...{ protected: version >= 2 ? 1 : 0, copy_of: null, copy_runs: version >= 4 ? 0 : 1 },
      copied_at: version >= 4 ? '2026-01-02T03:04:05.000Z' : null,
      created_by_name: version >= 10 ? 'laptop' : null,
      created_by_prefix: version >= 10 ? 'vc_0123' : null,
    },
    {
      ...{ name: 'broken', status: 'error', status_reason: 'no room', started_at: null },
      // Its key was revoked before its name was kept.
      ...{ created_by: version >= 10 ? 'key_revoked' : null, created_by_name: null },
    },
  ]);
  const entries = (projectId?: string) =>
    store.audit.listOfOwner({ id: owner?.id ?? '', projectId }, undefined, 1000, 10);
  const actions = entries('prj_0123456789abcdefghjk');
  expect(actions.map(({ action }) => action)).toEqual(version >= 3 ? ['click'] : []);
  const names = store.streamTargets.list(owner?.id ?? '').map(({ name }) => name);
  expect(names).toEqual(version >= 5 ? ['studio'] : []);
  const secrets = version >= 18 ? { count: 1, bytes: 'sealed'.length } : { count: 0, bytes: 0 };
  expect(store.secrets.usageOf(owner?.id ?? '')).toMatchObject(secrets);
  const filter = { kinds: ['change' as const], project: undefined };
  for (const within of [undefined, 'prj_0123456789abcdefghjk']) {
    const dropped = store.events.droppedUpTo(owner?.id ?? '', { ...filter, within });
    expect(dropped).toBe(version >= 19 ? 3 : 0);
  }
  const makers = store.keys
    .list(owner?.id ?? '')
    .filter(({ id }) => id.startsWith('key_made'))
    .map(({ name, maker, attributed_to }) => [name, maker, attributed_to]);
  expect(makers).toEqual(
    version < 20
      ? []
      : [
          ['full', null, null],
          ['other', 'key_0123456789abcdefghjk', null],
          ['third', 'key_made00000000000000b', 'key_made00000000000000b'],
        ],
  );
  store.close();

  const fresh = mkdtempSync(join(tmpdir(), 'vc-store-'));
  openStore(fresh).close();
  expect(schemaOf(databaseFile(directory))).toEqual(schemaOf(databaseFile(fresh)));
  rmSync(fresh, { recursive: true });
});

it('refuses a state of a newer vc, and does not change it', () => {
  openStore(directory).close();
  const db = new Database(databaseFile(directory));
  db.exec('PRAGMA user_version = 99');
  db.close();
  const known = `schema 99, this version supports up to ${migrations.length}`;
  expect(() => openStore(directory)).toThrow(`it was written by a newer vc (${known})`);
  const after = new Database(databaseFile(directory));
  expect(after.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 99 });
  after.close();
});

it('a failed migration changes nothing', () => {
  write(1);
  const db = new Database(databaseFile(directory));
  // A table that a step after the second creates exists already.
  db.exec('CREATE TABLE actions (wrong TEXT)');
  db.close();
  expect(() => openStore(directory)).toThrow('already exists');
  const after = new Database(databaseFile(directory));
  expect(after.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 });
  expect(after.prepare('SELECT name FROM computers').all()).toHaveLength(2);
  after.close();
});
