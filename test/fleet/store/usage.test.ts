import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeDatabase, type Db, openDatabase } from '../../../src/fleet/store/database.js';
import { usageStore } from '../../../src/fleet/store/usage.js';

let directory: string;
let db: Db;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-store-'));
  db = openDatabase(directory);
  db.exec(`
    INSERT INTO owners (id, name, created_at) VALUES ('usr_1', 'default', '2026-01-01T00:00:00.000Z');
    INSERT INTO keys (id, owner_id, name, hash, created_at)
      VALUES ('key_1', 'usr_1', 'agent', 'ab', '2026-01-01T00:00:00.000Z');
    DELETE FROM keys;
  `);
});
afterEach(() => {
  closeDatabase(db);
  rmSync(directory, { recursive: true });
});

const amounts = { computers: 0, computer_ms: 0, actions: 1, bytes: 0 };
const day = (i: number) => new Date(Date.UTC(2030, 0, 1 + i)).toISOString().slice(0, 10);
const add = (i: number, key_id: string) =>
  usageStore(db).add(day(i), [[{ owner_id: 'usr_1', key_id, project_id: '' }, amounts]]);
const names = () => db.prepare('SELECT name FROM deleted_names').all();

it('keeps the name of a deleted key as long as its usage', () => {
  db.exec("UPDATE deleted_names SET deleted_at = '2020-01-01T00:00:00.000Z'");
  add(0, 'key_1');
  for (let i = 1; i < 90; i += 1) add(i, 'key_2');
  expect(names()).toMatchObject([{ name: 'agent' }]);
  add(90, 'key_2');
  expect(names()).toEqual([]);
});

it('keeps the name of a key that was just deleted, whose usage is not yet written', () => {
  for (let i = 0; i < 91; i += 1) add(i, 'key_2');
  expect(names()).toMatchObject([{ name: 'agent' }]);
});

it('an owner is deleted with the names', () => {
  db.exec(`
    INSERT INTO projects (id, owner_id, name, created_at, updated_at)
      VALUES ('prj_1', 'usr_1', 'shop', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
    DELETE FROM owners;
  `);
  expect(names()).toEqual([]);
});
