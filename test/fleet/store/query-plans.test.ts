import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Db } from '../../../src/fleet/store/database.js';
import { openStore } from '../../../src/fleet/store/index.js';
import { SCHEMA } from '../../../src/fleet/store/schema.js';

let db: Db;
/** Every statement that the store prepares. */
let statements: string[];

beforeAll(() => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-store-'));
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  openStore(directory).close();
  statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))];
  prepare.mockRestore();
  rmSync(directory, { recursive: true });
  db = new Database(':memory:');
  db.exec(SCHEMA);
});
afterAll(() => void db.close());

function planOf(sql: string): string[] {
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

/**
 * Statements that read whole tables: at the start, once an hour or a day, for 500 new events, or for
 * an administrator. Those of requests do not.
 */
const READS_ALL = [
  /FROM computers JOIN projects ON projects\.id = computers\.project_id$/,
  /^SELECT \* FROM (keys|owners|sessions|drains|webhooks)( ORDER BY .*)?$/,
  /FROM service$/,
  /^SELECT id, \(SELECT count\(\*\) FROM projects .* FROM owners$/,
  /FROM projects WHERE deleting = 1$/,
  /FROM actions GROUP BY/,
  /FROM sqlite_sequence/,
  /^SELECT DISTINCT computer_id AS id FROM watched_jobs$/,
  /^UPDATE saved_disks SET state = 'retired' WHERE state = 'saving'$/,
  /^DELETE FROM usage WHERE day < /,
  /^DELETE FROM deleted_names WHERE deleted_at < /,
];

it('no statement of a request reads a whole table', () => {
  const scans = statements
    .filter((sql) => !/^PRAGMA/.test(sql))
    .map((sql) => sql.replace(/\s+/g, ' '))
    .filter((sql) => !READS_ALL.some((pattern) => pattern.test(sql)))
    .map((sql) => ({
      sql,
      scans: planOf(sql).filter((step) =>
        /^SCAN (?!\w+ VIRTUAL TABLE|CONSTANT|newest|found|\(subquery)/.test(step),
      ),
    }))
    .filter(({ scans }) => scans.length > 0);
  expect(scans).toEqual([]);
});

it('each statement on the audit log reads an index of what it asks for', () => {
  const plans = statements
    .filter((sql) => /FROM actions/.test(sql) && !/GROUP BY|max\(id\)/.test(sql))
    .flatMap((sql) => planOf(sql).filter((step) => /actions/.test(step)))
    .map((step) => step.replace(/^SEARCH actions USING (COVERING )?/, ''));
  expect(new Set(plans)).toEqual(
    new Set([
      'INDEX actions_by_owner (owner_id=?)',
      'INTEGER PRIMARY KEY (rowid<?)',
      'INDEX actions_by_owner (owner_id=? AND id<?)',
      'INDEX actions_by_computer (owner_id=? AND computer_id=?)',
      'INDEX actions_by_computer (owner_id=? AND computer_id=? AND id<?)',
      'INDEX actions_by_project (project_id=? AND id<?)',
    ]),
  );
});

it('a page of events is read in their order', () => {
  const [page] = statements.filter((sql) => /^SELECT id, at, type.* FROM events/.test(sql));
  expect(planOf(page ?? '').filter((step) => !/json_each|SUBQUERY/.test(step))).toEqual([
    'SEARCH events USING INDEX events_by_owner (owner_id=? AND kind=? AND id>? AND id<?)',
  ]);
});

it('secrets are counted and listed without reading their values', () => {
  const counted = statements.filter((sql) => /^SELECT .* FROM .*secrets/s.test(sql));
  const plans = counted
    .filter((sql) => !/SELECT \*/.test(sql))
    .flatMap(planOf)
    .filter((step) => /secrets/.test(step));
  expect(plans).toHaveLength(3);
  for (const plan of plans) expect(plan).toContain('USING COVERING INDEX');
});
