import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitedHolder } from '../../../../src/fleet/store/accounts/key-holders.js';
import { auditStore } from '../../../../src/fleet/store/audit/entries.js';
import type { Db } from '../../../../src/fleet/store/database.js';
import { SCHEMA } from '../../../../src/fleet/store/schema.js';
import { ownHolder } from '../../../support/accounts/own-holder.js';
import { promise } from '../../../support/run/promise.js';

let db: Db;
beforeEach(() => {
  db = new Database(':memory:');
  db.exec(SCHEMA);
});
afterEach(() => void db.close());

type Store = ReturnType<typeof auditStore>;

/** Adds rows `first` to `last` of an owner's key, which have their number as action. */
function add(store: Store, owner: string, first: number, last: number, key = 'key'): void {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  store.append(
    numbers.map((number) => ({
      ...{ at: '2026-01-01T00:00:00.000Z', owner_id: owner, computer_id: '', key_id: key },
      ...{ action: String(number), detail: '{}', outcome: 'ok', ms: 1 },
    })),
  );
}

/** The first and the last row of an owner, or of one of its keys, and the number of these rows. */
function rowsOf(store: Store, owner: string, key?: string) {
  const rows = store
    .listOfOwner({ id: owner }, undefined, Number.MAX_SAFE_INTEGER, 10_000)
    .filter(({ key_id }) => key === undefined || key_id === key);
  return { first: rows.at(-1)?.action, last: rows[0]?.action, rows: rows.length };
}

it("drops an owner's oldest entries beyond its limit", () => {
  const store = auditStore(db, ownHolder, { ofOwner: 100, inAll: 1000, block: 0 });
  add(store, 'a', 1, 90);
  add(store, 'b', 1, 50);
  add(store, 'a', 91, 110);
  expect(rowsOf(store, 'a')).toEqual({ first: '11', last: '110', rows: 100 });
  expect(rowsOf(store, 'b')).toEqual({ first: '1', last: '50', rows: 50 });
});

it('counts entries from before a restart', () => {
  add(auditStore(db, ownHolder, { ofOwner: 100, inAll: 1000, block: 0 }), 'a', 1, 90);
  const store = auditStore(db, ownHolder, { ofOwner: 100, inAll: 1000, block: 0 });
  add(store, 'a', 91, 110);
  add(store, 'a', 111, 120);
  expect(rowsOf(store, 'a')).toEqual({ first: '21', last: '120', rows: 100 });
});

promise(29, 'a flood of one owner drops only its own audit entries', (report) => {
  const store = auditStore(db, ownHolder, { ofOwner: 1000, inAll: 300, block: 0 });
  for (const owner of ['b', 'c']) add(store, owner, 1, 80);
  for (let round = 0; round < 50; round++) add(store, 'a', round * 100 + 1, round * 100 + 100);
  expect(rowsOf(store, 'a')).toEqual({ first: '4861', last: '5000', rows: 140 });
  for (const owner of ['b', 'c']) {
    expect(rowsOf(store, owner)).toEqual({ first: '1', last: '80', rows: 80 });
  }
  report('5,000 audit rows of a flood: none of other owners dropped');
});

promise(29, 'a flood of one key drops only its own audit entries', (report) => {
  const store = auditStore(db, ownHolder, { ofOwner: 300, inAll: 1000, block: 0 });
  for (const key of ['b', 'c']) add(store, 'owner', 1, 80, key);
  for (let round = 0; round < 50; round++) {
    add(store, 'owner', round * 100 + 1, round * 100 + 100, 'a');
  }
  expect(rowsOf(store, 'owner', 'a')).toEqual({ first: '4861', last: '5000', rows: 140 });
  for (const key of ['b', 'c']) {
    expect(rowsOf(store, 'owner', key)).toEqual({ first: '1', last: '80', rows: 80 });
  }
  report('5,000 audit rows of one key: none of the other keys of its owner dropped');
});

/** Keys are limited ones if their names say so. */
const holderOf = (key: string) => (key.startsWith('look') ? limitedHolder(key) : key);

promise(29, 'a flood of limited keys drops no audit entries of a key with all rights', (report) => {
  const store = auditStore(db, holderOf, { ofOwner: 200, inAll: 1_000, block: 5 });
  add(store, 'owner', 1, 190, 'main');
  for (let round = 0; round < 20; round++) add(store, 'owner', 1, 10, 'look');
  expect(rowsOf(store, 'owner', 'main').rows).toBe(190);
  // One limited key has half of the limit, less a block.
  expect(rowsOf(store, 'owner', 'look').rows).toBeLessThanOrEqual(100);
  expect(rowsOf(store, 'owner', 'look').rows).toBeGreaterThanOrEqual(95);
  for (let round = 0; round < 20; round++) {
    for (const key of ['look 1', 'look 2']) add(store, 'owner', 1, 10, key);
  }
  expect(rowsOf(store, 'owner', 'main').rows).toBe(190);
  expect(rowsOf(store, 'owner').rows).toBeLessThanOrEqual(190 + 150);
  for (const key of ['look', 'look 1', 'look 2']) {
    expect(rowsOf(store, 'owner', key).rows).toBeGreaterThanOrEqual(40);
  }
  report('600 audit rows of limited keys: none of a key with all rights dropped');
});

it('limited keys of many owners drop no entries of keys with all rights', () => {
  const store = auditStore(db, holderOf, { ofOwner: 200, inAll: 400, block: 0 });
  for (const owner of ['a', 'b']) add(store, owner, 1, 200, 'main');
  for (const owner of ['c', 'd', 'e', 'f']) add(store, owner, 1, 200, 'look');
  for (const owner of ['a', 'b']) expect(rowsOf(store, owner).rows).toBe(200);
  const counts = ['c', 'd', 'e', 'f'].map((owner) => rowsOf(store, owner).rows);
  expect(counts).toEqual([75, 75, 75, 75]);
});

it('an owner with no more than an equal part of all entries loses none', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 190, inAll: 1_000, block: 30 });
  add(store, 'quiet', 1, 970 / 10);
  const owners = Array.from({ length: 9 }, (_, i) => `owner ${i}`);
  for (const owner of owners) add(store, owner, 1, 190);
  expect(rowsOf(store, 'quiet')).toEqual({ first: '1', last: '97', rows: 97 });
  for (const owner of owners) expect(rowsOf(store, owner).rows).toBeGreaterThanOrEqual(97);
});

it('the entries of a removed key count as those of a key with the rights that it had', () => {
  const limits = { ofOwner: 200, inAll: 1_000, block: 0 };
  const store = auditStore(db, holderOf, limits);
  add(store, 'owner', 1, 190, 'main');
  add(store, 'owner', 1, 90, 'look');
  const restarted = auditStore(db, () => limitedHolder('removed keys'), limits);
  for (let round = 0; round < 20; round++) add(restarted, 'owner', 1, 10, 'look 2');
  expect(rowsOf(restarted, 'owner', 'main').rows).toBe(190);
  expect(rowsOf(restarted, 'owner', 'look').rows).toBe(75);
});

it('drops entries of the busiest key where all owners together have too many', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 1000, inAll: 300, block: 0 });
  add(store, 'other', 1, 100);
  add(store, 'owner', 1, 50, 'b');
  for (let round = 0; round < 5; round++) {
    add(store, 'owner', round * 100 + 1, round * 100 + 100, 'a');
  }
  expect(rowsOf(store, 'other').rows).toBe(100);
  expect(rowsOf(store, 'owner', 'b')).toEqual({ first: '1', last: '50', rows: 50 });
  expect(rowsOf(store, 'owner', 'a')).toEqual({ first: '351', last: '500', rows: 150 });
});

it('divides the limit among keys that all flood', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 300, inAll: 1000, block: 0 });
  for (let round = 0; round < 5; round++) {
    for (const key of ['a', 'b', 'c']) add(store, 'owner', round * 90 + 1, round * 90 + 90, key);
  }
  for (const key of ['a', 'b', 'c']) expect(rowsOf(store, 'owner', key).rows).toBe(100);
});

it('counts the entries of keys from before a restart', () => {
  const limits = { ofOwner: 100, inAll: 1000, block: 0 };
  add(auditStore(db, ownHolder, limits), 'owner', 1, 80, 'a');
  const store = auditStore(db, ownHolder, limits);
  add(store, 'owner', 1, 40, 'b');
  expect(rowsOf(store, 'owner', 'a')).toEqual({ first: '21', last: '80', rows: 60 });
  expect(rowsOf(store, 'owner', 'b').rows).toBe(40);
});

it('drops a block beyond a limit, so that not every entry drops one', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 100, inAll: 1000, block: 10 });
  add(store, 'owner', 1, 100);
  add(store, 'owner', 101, 101);
  expect(rowsOf(store, 'owner')).toEqual({ first: '12', last: '101', rows: 90 });
  add(store, 'owner', 102, 111);
  expect(rowsOf(store, 'owner').rows).toBe(100);
});

it('divides the limit among owners that all flood', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 1000, inAll: 300, block: 0 });
  const owners = ['a', 'b', 'c'];
  for (let round = 0; round < 5; round++) {
    for (const owner of owners) add(store, owner, round * 90 + 1, round * 90 + 90);
  }
  const counts = owners.map((owner) => rowsOf(store, owner).rows);
  expect(counts.reduce((sum, count) => sum + count)).toBe(300);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(90);
});

it('recounts after old entries were dropped', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 100, inAll: 1000, block: 0 });
  add(store, 'a', 1, 60);
  store.dropOld(1000, 500);
  add(store, 'a', 61, 100);
  store.dropOld(1000, 500);
  expect(rowsOf(store, 'a')).toEqual({ first: '61', last: '100', rows: 40 });
  add(store, 'a', 101, 150);
  expect(rowsOf(store, 'a')).toEqual({ first: '61', last: '150', rows: 90 });
});

it('drops at most 1,000 entries at once, and the others with the next ones', () => {
  add(auditStore(db, ownHolder), 'a', 1, 2_500);
  const store = auditStore(db, ownHolder, { ofOwner: 100, inAll: 10_000, block: 0 });
  const counts = [2_501, 2_502, 2_503].map((number) => {
    add(store, 'a', number, number);
    return rowsOf(store, 'a').rows;
  });
  expect(counts).toEqual([1_501, 502, 100]);
  expect(rowsOf(store, 'a')).toEqual({ first: '2404', last: '2503', rows: 100 });
});

it('drops old entries 500 at a time, and says whether there are more', () => {
  const store = auditStore(db, ownHolder, { ofOwner: 1_000, inAll: 10_000, block: 0 });
  add(store, 'a', 1, 900);
  expect(store.dropOld(1000, 500)).toBe(false);
  add(store, 'a', 901, 1_000);
  expect(store.dropOld(1000, 500)).toBe(true);
  expect(rowsOf(store, 'a')).toEqual({ first: '501', last: '1000', rows: 500 });
  expect(store.dropOld(0, 500)).toBe(false);
  expect(rowsOf(store, 'a')).toEqual({ first: '901', last: '1000', rows: 100 });
  // Counted: the limit drops none too many.
  add(store, 'a', 1_001, 1_950);
  expect(rowsOf(store, 'a')).toEqual({ first: '951', last: '1950', rows: 1_000 });
});

it('what the keys that a key has made have done counts as done by that key', () => {
  const holderOf = (key: string) => key.replace(/^made.*/, 'maker');
  const store = auditStore(db, holderOf, { ofOwner: 200, inAll: 1_000, block: 0 });
  add(store, 'owner', 1, 95, 'own');
  for (let i = 0; i < 40; i += 1) add(store, 'owner', 1, 10, `made ${i}`);
  expect(rowsOf(store, 'owner', 'own')).toEqual({ first: '1', last: '95', rows: 95 });
  expect(rowsOf(store, 'owner').rows).toBe(200);
});

it('it counts so for ever, also when nobody knows any more who has made the keys', () => {
  const limits = { ofOwner: 200, inAll: 1_000, block: 0 };
  const store = auditStore(db, (key) => key.replace(/^made.*/, 'maker'), limits);
  add(store, 'owner', 1, 60, 'removed');
  for (let i = 0; i < 20; i += 1) add(store, 'owner', 1, 5, `made ${i}`);
  const forgetful = (key: string) => key.replace(/^(made|removed).*/, 'removed keys');
  const restarted = auditStore(db, forgetful, limits);
  add(restarted, 'owner', 1, 50, 'made 1');
  expect(rowsOf(restarted, 'owner', 'removed')).toEqual({ first: '1', last: '60', rows: 60 });
});
