import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Db } from '../../../../src/fleet/store/database.js';
import { EventLimiter } from '../../../../src/fleet/store/events/limits.js';
import { SCHEMA } from '../../../../src/fleet/store/schema.js';

let db: Db;
beforeEach(() => {
  db = new Database(':memory:');
  db.exec(SCHEMA);
  db.exec(`INSERT INTO owners (id, name, created_at) VALUES ('a', 'a', ''), ('b', 'b', '')`);
});
afterEach(() => void db.close());

/** Adds changes of a project of an owner. */
function add(ownerId: string, project: string | null, count: number): void {
  const insert = db.prepare(
    `INSERT INTO events (at, owner_id, kind, type, project_id, data)
     VALUES ('', ?, 'change', 'computer.updated', ?, '{}')`,
  );
  for (let i = 0; i < count; i += 1) insert.run(ownerId, project);
}

const lastId = () => (db.prepare('SELECT max(id) AS id FROM events').get() as { id: number }).id;
const counts = () =>
  Object.fromEntries(
    (
      db
        .prepare(
          `SELECT owner_id || ' ' || coalesce(project_id, '-') AS name, count(*) AS rows
           FROM events GROUP BY 1`,
        )
        .all() as { name: string; rows: number }[]
    ).map(({ name, rows }) => [name, rows]),
  );

it('drops at most 1,000 events at once, and says whether there are more', () => {
  const limiter = new EventLimiter(db, { ofOwner: 100, inAll: 10_000, every: 10 });
  add('a', 'shop', 2_500);
  expect(limiter.tidy(lastId())).toBe(true);
  expect(counts()).toEqual({ 'a shop': 1_500 });
  expect(limiter.tidy(lastId())).toBe(true);
  expect(limiter.tidy(lastId())).toBe(false);
  expect(counts()).toEqual({ 'a shop': 100 });
});

it('drops at most 1,000 events of all owners at once', () => {
  const limiter = new EventLimiter(db, { ofOwner: 5_000, inAll: 500, every: 10 });
  add('a', 'shop', 2_000);
  add('b', 'shop', 200);
  expect(limiter.tidy(lastId())).toBe(true);
  expect(counts()).toEqual({ 'a shop': 1_000, 'b shop': 200 });
  expect(limiter.tidy(lastId())).toBe(false);
  expect(counts()).toEqual({ 'a shop': 300, 'b shop': 200 });
});

it('the events of one project push out none of the others of its owner', () => {
  const limiter = new EventLimiter(db, { ofOwner: 300, inAll: 10_000, every: 10 });
  add('a', 'quiet', 50);
  add('a', null, 30);
  for (let i = 0; i < 10; i += 1) {
    add('a', 'busy', 100);
    limiter.tidy(lastId());
  }
  expect(counts()).toEqual({ 'a -': 30, 'a busy': 220, 'a quiet': 50 });
  const [first] = db.prepare("SELECT min(id) AS id FROM events WHERE project_id = 'busy'").all();
  expect(first).toEqual({ id: lastId() - 219 });
});

it('the events of one project push out none of others where there are too many in all', () => {
  const limiter = new EventLimiter(db, { ofOwner: 1_000, inAll: 300, every: 10 });
  add('a', 'quiet', 50);
  add('b', 'shop', 80);
  add('a', 'busy', 500);
  limiter.tidy(lastId());
  expect(counts()).toEqual({ 'a busy': 170, 'a quiet': 50, 'b shop': 80 });
});

it('remembers of each project up to which event it lost some', () => {
  const limiter = new EventLimiter(db, { ofOwner: 10, inAll: 10_000, every: 10 });
  const marks = () =>
    db.prepare('SELECT project_id, id FROM dropped_events ORDER BY project_id').all();
  db.exec(`INSERT INTO projects (id, owner_id, name, created_at, updated_at) VALUES
    ('p1', 'a', 'shop', '', ''), ('p2', 'a', 'busy', '', ''), ('p3', 'a', 'gone', '', '')`);
  const first = lastId();
  db.exec('DELETE FROM events');
  add('a', 'p1', 2);
  add('a', 'p2', 20);
  add('a', 'p3', 10);
  limiter.tidy(lastId());
  // Each of the two keeps its last ones.
  expect(marks()).toEqual([
    { project_id: 'p2', id: first + 2 + 16 },
    { project_id: 'p3', id: first + 22 + 6 },
  ]);
  db.exec("DELETE FROM projects WHERE id = 'p3'");
  add('a', 'p2', 10);
  limiter.tidy(lastId());
  expect(marks()).toMatchObject([{ project_id: '' }, { project_id: 'p2' }]);
});
