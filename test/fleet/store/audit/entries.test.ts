import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AuditFilter, auditStore } from '../../../../src/fleet/store/audit/entries.js';
import type { Db } from '../../../../src/fleet/store/database.js';
import { SCHEMA } from '../../../../src/fleet/store/schema.js';

let db: Db;
let store: ReturnType<typeof auditStore>;
beforeEach(() => {
  db = new Database(':memory:');
  db.exec(SCHEMA);
  db.exec(
    `INSERT INTO owners (id, name, created_at) VALUES ('owner', 'owner', ''), ('b', 'b', '')`,
  );
  for (const id of ['shop', 'other']) {
    db.exec(`INSERT INTO projects VALUES ('${id}', 'owner', '${id}', 0, '', '')`);
    db.exec(
      `INSERT INTO computers (id, project_id, owner_id, name, os, ram, cpu, gpu, image, engine,
         width, height, status, private_key, public_key, created_at)
       VALUES ('cmp_${id}', '${id}', 'owner', 'desk', '', 1, 1, '', '', '', 1, 1, '', '', '', '')`,
    );
  }
  store = auditStore(db, 100);
});
afterEach(() => void db.close());

function add(computer: string, action: string, owner = 'owner', name: string | null = null): void {
  const row = { at: '', owner_id: owner, computer_id: computer, key_id: 'key', action };
  store.append([{ ...row, computer_name: name, detail: '{}', outcome: 'ok', ms: 1 }]);
}

const listed = (projectId: string | undefined, computer?: string, owner = 'owner') =>
  store.listOfOwner({ id: owner, projectId }, { computer, limit: 10 }).map(({ action }) => action);

it('a key for one project sees the entries of its computers only, also of deleted ones', () => {
  add('cmp_shop', 'click');
  add('cmp_other', 'type');
  add('', 'createKey');
  db.exec("DELETE FROM computers WHERE id = 'cmp_shop'");
  add('cmp_shop', 'deleteComputer');
  expect(listed(undefined)).toEqual(['deleteComputer', 'createKey', 'type', 'click']);
  expect(listed('shop')).toEqual(['deleteComputer', 'click']);
  expect(listed('shop', 'cmp_shop')).toEqual(['deleteComputer', 'click']);
  expect(listed('other')).toEqual(['type']);
  expect(listed('other', 'cmp_shop')).toEqual([]);
  expect(listed('shop', 'cmp_unknown')).toEqual([]);
  expect(listed('shop', '')).toEqual([]);
});

it('names a key also when it was revoked', () => {
  db.exec(
    `INSERT INTO keys (id, owner_id, name, hash, created_at) VALUES ('key', 'owner', 'guest', '', '')`,
  );
  add('cmp_shop', 'viewOpened');
  db.exec("DELETE FROM keys WHERE id = 'key'");
  const found = store.listOfOwner({ id: 'owner' }, { key: 'guest', limit: 10 });
  expect(found.map(({ key_name }) => key_name)).toEqual(['guest']);
});

it('names a computer as it was called then, also when it was deleted', () => {
  add('cmp_shop', 'click');
  db.exec("UPDATE computers SET name = 'till' WHERE id = 'cmp_shop'");
  add('cmp_shop', 'updateComputer');
  db.exec("DELETE FROM computers WHERE id = 'cmp_shop'");
  add('cmp_shop', 'deleteComputer');
  add('', 'createKey');
  add('cmp_gone', 'expire', 'owner', 'old');
  const found = store.listOfOwner({ id: 'owner' }, { limit: 10 });
  expect(found.map((row) => row.computer_name)).toEqual(['old', null, 'till', 'till', 'desk']);
});

it('lists the entries that match an action, a key and an outcome, before the limit is counted', () => {
  db.exec(
    `INSERT INTO keys (id, owner_id, name, hash, created_at) VALUES ('key_1', 'owner', 'lap', '', '')`,
  );
  const row = {
    ...{ at: '', owner_id: 'owner', computer_id: '', computer_name: null, key_id: 'key' },
    ...{ detail: '{}', ms: 1 },
  };
  store.append([
    { ...row, action: 'createKey', outcome: 'forbidden' },
    { ...row, action: 'deleteKey', outcome: 'ok', key_id: 'key_1' },
    { ...row, action: 'process', outcome: 'cancelled' },
    { ...row, action: 'deleteComputer', outcome: 'ok' },
    { ...row, action: 'expire', outcome: 'ok' },
    { ...row, at: '2026-11-30T10:00:00.500Z', action: 'type', outcome: 'controlled' },
    ...Array.from({ length: 50 }, () => ({ ...row, action: 'click', outcome: 'ok' })),
  ]);
  const found = (filter: Partial<AuditFilter>) =>
    store.listOfOwner({ id: 'owner' }, { limit: 2, ...filter }).map(({ action }) => action);
  expect(found({})).toEqual(['click', 'click']);
  expect(found({ action: 'KEY' })).toEqual(['deleteKey', 'createKey']);
  // As the command line shows them: rm, rm (expired), and exec.
  expect(found({ action: 'Rm' })).toEqual(['expire', 'deleteComputer']);
  expect(found({ action: 'expired' })).toEqual(['expire']);
  expect(found({ action: 'exec' })).toEqual(['process']);
  expect(found({ key: 'lap' })).toEqual(['deleteKey']);
  expect(found({ key: 'key_1' })).toEqual(['deleteKey']);
  expect(found({ outcome: 'failed' })).toEqual(['type', 'createKey']);
  expect(found({ outcome: 'forbidden' })).toEqual(['createKey']);
  expect(found({ since: '2026-11-30T10:00:00Z' })).toEqual(['type']);
  expect(found({ since: '2026-11-30T12:00:00+02:00' })).toEqual(['type']);
  expect(found({ since: '2026-11-30T10:00:00.501Z' })).toEqual([]);
  expect(found({ outcome: 'cancelled' })).toEqual(['process']);
  expect(found({ outcome: 'ok', action: 'key' })).toEqual(['deleteKey']);
  expect(found({ action: '%' })).toEqual([]);
});

it('the entries of a computer in the log of another owner are theirs', () => {
  add('cmp_shop', 'click');
  add('cmp_shop', 'deleteOwner', 'b');
  expect(listed(undefined, 'cmp_shop')).toEqual(['click']);
  expect(listed(undefined, 'cmp_shop', 'b')).toEqual(['deleteOwner']);
  expect(listed('shop', 'cmp_shop')).toEqual(['click']);
});

it("drops an owner's oldest entries beyond the limit, and those that are too old", () => {
  for (let n = 1; n <= 110; n += 1) add('', `${n}`);
  add('', 'only', 'b');
  const all = () => store.listOfOwner({ id: 'owner' }, { limit: 1_000 });
  store.dropOld(0, 1_000);
  expect([all().length, all().at(-1)?.action]).toEqual([100, '11']);
  add('', 'new');
  store.dropOld(1_500, 1_000);
  expect(all().map(({ action }) => action)).toEqual(['new']);
  expect(listed(undefined, undefined, 'b')).toEqual([]);
});
