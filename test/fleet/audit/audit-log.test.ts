import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AuditLog, startTimer } from '../../../src/fleet/audit/audit-log.js';
import { type HolderOf, limitedHolder } from '../../../src/fleet/store/accounts/key-holders.js';
import { ownHolder } from '../../support/accounts/own-holder.js';
import { openTestFleet, silentLog, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

const DAY_MS = 24 * 3_600_000;
const computerId = 'cmp_0123456789abcdefghjk';
const computer = { id: computerId, owner_id: 'usr_a' };

let test: TestFleet;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  test = await openTestFleet();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

function record(action: string): void {
  test.fleet.auditLog.record({
    ...{ owner: { id: 'usr_a', keyId: 'key_a' }, computerId, action, detail: {}, outcome: 'ok' },
    ...startTimer()(),
  });
}

const recorded = () =>
  test.fleet.auditLog.list(computer, { limit: 100 }).map(({ action }) => action);

promise(30, 'no audit row is lost when the clock jumps by a year either way', async (report) => {
  record('before');
  for (const days of [100, 365, -730, 1000]) {
    vi.setSystemTime(Date.now() + days * DAY_MS);
    vi.advanceTimersByTime(2 * 3_600_000);
    record(`jumped ${days}`);
    expect(recorded()).toContain('before');
    test = await test.restart();
    record(`restarted after ${days}`);
  }
  expect(recorded()).toHaveLength(9);
  report('9 audit rows over jumps of 100 to 1,000 days');
});

it('drops an entry after 90 days of service time, across restarts', async () => {
  record('old');
  vi.advanceTimersByTime(2 * 3_600_000);
  expect(recorded()).toEqual(['old']);
  record('second');
  vi.advanceTimersByTime(45 * DAY_MS);
  test = await test.restart();
  vi.advanceTimersByTime(44 * DAY_MS);
  record('late');
  expect(recorded()).toEqual(['late', 'second', 'old']);
  vi.advanceTimersByTime(2 * DAY_MS);
  record('last');
  expect(recorded()).toContain('late');
  expect(recorded()).not.toContain('old');
});

it('measures durations with the monotonic clock', () => {
  const timer = startTimer();
  vi.advanceTimersByTime(1200);
  vi.setSystemTime(0);
  expect(timer()).toMatchObject({ ms: 1200 });
});

/** A log on a disk that is full until `free` is called. */
function onFullDisk(holderOf: HolderOf) {
  const { store } = test;
  let isFull = true;
  const append: typeof store.audit.append = (rows) => {
    if (isFull) throw new Error('the disk is full');
    store.audit.append(rows);
  };
  const [keys, audit] = [
    { ...store.keys, holderOf },
    { ...store.audit, append },
  ];
  const log = new AuditLog({ ...store, keys, audit }, silentLog);
  const recordOf = (keyId: string, action: string) =>
    log.record({
      ...{ owner: { id: 'usr_a', keyId }, computerId, action, detail: {}, outcome: 'ok' },
      ...startTimer()(),
    });
  const free = () => {
    isFull = false;
  };
  return { log, recordOf, free };
}

it('while the disk is full, a flood of a limited key drops none of a key with all rights', () => {
  const isLimited = (key: string) => key === 'key_look';
  const holderOf = (key: string) => (isLimited(key) ? limitedHolder(key) : key);
  const { log, recordOf, free } = onFullDisk(holderOf);
  for (let i = 0; i < 9_000; i += 1) recordOf('key_a', 'mine');
  for (let i = 0; i < 8_000; i += 1) recordOf('key_look', 'look');
  expect(log.list(computer, { limit: 1 })).toEqual([]);
  free();
  recordOf('key_a', 'mine');
  const actions = log.list(computer, { limit: 20_000 }).map(({ action }) => action);
  expect(actions.filter((action) => action === 'mine')).toHaveLength(9_001);
  expect(actions.filter((action) => action === 'look')).toHaveLength(7_500);
});

it('while the disk is full, a flood of one key drops only its own entries', () => {
  const { log, recordOf, free } = onFullDisk(ownHolder);
  for (const action of ['one', 'two']) recordOf('key_b', action);
  for (let i = 0; i < 12_000; i += 1) recordOf('key_a', 'wait');
  expect(log.list(computer, { limit: 1 })).toEqual([]);
  free();
  recordOf('key_b', 'three');
  const actions = log.list(computer, { limit: 20_000 }).map(({ action }) => action);
  expect(actions.filter((action) => action !== 'wait')).toEqual(['three', 'two', 'one']);
  expect(actions).toHaveLength(10_001);
});

it('writes many entries in parts, with a turn of the event loop between them', async () => {
  const { store } = test;
  let turn = 0;
  const parts: (readonly [turn: number, rows: number])[] = [];
  const append: typeof store.audit.append = (rows) => {
    parts.push([turn, rows.length]);
    store.audit.append(rows);
  };
  const log = new AuditLog({ ...store, audit: { ...store.audit, append } }, silentLog);
  for (let i = 0; i < 1_200; i += 1) {
    log.record({
      ...{ owner: { id: 'usr_a', keyId: 'key_a' }, computerId, action: String(i), detail: {} },
      ...{ outcome: 'ok', ...startTimer()() },
    });
  }
  for (; parts.length < 3 && turn < 1_000_000; turn += 1) await nextTurn();
  expect(parts.map(([, rows]) => rows)).toEqual([500, 500, 200]);
  expect(new Set(parts.map(([at]) => at)).size).toBe(3);
  const rows = store.audit.listOfOwner({ id: 'usr_a' }, undefined, Number.MAX_SAFE_INTEGER, 2_000);
  expect(rows.map(({ action }) => Number(action)).reverse()).toEqual([...Array(1_200).keys()]);
});

it('drops old entries in parts, with a turn of the event loop between them', async () => {
  const { store } = test;
  let turn = 0;
  const turns: number[] = [];
  const dropOld: typeof store.audit.dropOld = (elapsed, kept) => {
    turns.push(turn);
    return store.audit.dropOld(elapsed, kept);
  };
  const log = new AuditLog({ ...store, audit: { ...store.audit, dropOld } }, silentLog);
  const entry = { owner: { id: 'usr_a', keyId: 'key_a' }, computerId, action: 'old', detail: {} };
  const add = () => log.record({ ...entry, outcome: 'ok', ...startTimer()() });
  for (let i = 0; i < 1_200; i += 1) add();
  vi.advanceTimersByTime(2 * 3_600_000);
  log.list(computer, { limit: 1 });
  vi.advanceTimersByTime(91 * DAY_MS);
  add();
  turns.length = 0;
  expect(log.list(computer, { limit: 2_000 }).length).toBeGreaterThan(700);
  for (turn = 1; turns.length < 3 && turn < 1_000_000; turn += 1) await nextTurn();
  expect(new Set(turns).size).toBe(3);
  expect(log.list(computer, { limit: 2_000 })).toHaveLength(1);
});

it('divides the names of many secrets among entries, each of which is short', () => {
  const names = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(64, 'x'));
  test.fleet.auditLog.record({
    ...{ owner: { id: 'usr_a', keyId: 'key_a' }, computerId, action: 'type', outcome: 'ok' },
    ...{ detail: { text_length: 7, secrets: names.join(' ') }, ...startTimer()() },
  });
  const entries = test.fleet.auditLog.list(computer, { limit: 100 });
  expect(entries).toHaveLength(17);
  for (const { action, detail } of entries) {
    expect(action).toBe('type');
    expect(JSON.stringify(detail).length).toBeLessThan(450);
  }
  const shown = entries.toReversed().flatMap(({ detail }) => String(detail.secrets).split(' '));
  expect(shown).toEqual(names);
  expect(entries.at(-1)?.detail.text_length).toBe(7);
});
