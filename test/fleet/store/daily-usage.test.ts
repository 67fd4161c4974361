// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { usageStore } from '../../../src/fleet/store/daily-usage.js';
import { closeDatabase, type Db, openDatabase } from '../../../src/fleet/store/database.js';

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

it('an owner has a bounded number of rows a day, and one for all others', () => {
  const store = usageStore(db);
  for (let i = 0; i < 3; i += 1) {
    const entries = Array.from({ length: 1_500 }, (_, n) => {
      const subject = { owner_id: 'usr_1', key_id: `key_${i}_${n}`, project_id: 'prj_1' };
      return [subject, amounts] as const;
    });
    store.add(day(0), entries);
  }
  store.add(day(0), [[{ owner_id: 'usr_1', key_id: 'key_0_0', project_id: 'prj_1' }, amounts]]);
  const rows = store.list({ id: 'usr_1' }, 1);
  expect(rows).toHaveLength(1_001);
  const others = { key_id: 'others', project_id: '', actions: 3_500 };
  expect(rows.find(({ key_id }) => key_id === 'others')).toMatchObject(others);
  expect(rows.find(({ key_id }) => key_id === 'key_0_0')).toMatchObject({ actions: 2 });
});

it('an owner has a bounded number of names, the newest ones, and no other owner loses any', () => {
  db.exec("INSERT INTO owners (id, name, created_at) VALUES ('usr_2', 'second', '2026-01-01')");
  const insert = db.prepare(
    "INSERT INTO keys (id, owner_id, name, hash, created_at) VALUES (?, 'usr_2', ?, ?, '2026-01-01')",
  );
  db.exec('BEGIN');
  for (let i = 0; i < 3_000; i += 1) {
    insert.run(`key_2_${i}`, `key ${i}`, `hash ${i}`);
    db.exec("DELETE FROM keys WHERE owner_id = 'usr_2'");
  }
  db.exec('COMMIT');
  const kept = db.prepare("SELECT name FROM deleted_names WHERE owner_id = 'usr_2'").all();
  expect(kept).toHaveLength(2_000);
  expect(kept).toContainEqual(expect.objectContaining({ name: 'key 2999' }));
  expect(kept).not.toContainEqual(expect.objectContaining({ name: 'key 0' }));
  expect(names()).toContainEqual(expect.objectContaining({ name: 'agent' }));
});

it('drops names without usage when the day changes, even if no day is dropped', () => {
  const store = usageStore(db);
  const subject = { owner_id: 'usr_1', key_id: 'key_2', project_id: '' };
  store.add(day(0), [[subject, amounts]]);
  db.exec("UPDATE deleted_names SET deleted_at = '2020-01-01T00:00:00.000Z'");
  store.add(day(0), [[subject, amounts]]);
  expect(names()).toHaveLength(1);
  store.add(day(1), [[subject, amounts]]);
  expect(names()).toEqual([]);
});

it('an owner is deleted with the names', () => {
  db.exec(`
    INSERT INTO projects (id, owner_id, name, created_at, updated_at)
      VALUES ('prj_1', 'usr_1', 'shop', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
    DELETE FROM owners;
  `);
  expect(names()).toEqual([]);
});
