// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AuditLog, startTimer } from '../../../src/fleet/audit/audit-log.js';
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
    owner: { id: 'usr_a', keyId: 'key_a' },
    computerId,
    action,
    detail: {},
    outcome: 'ok',
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
function onFullDisk() {
  const { store } = test;
  let isFull = true;
  const append: typeof store.audit.append = (rows) => {
    if (isFull) throw new Error('the disk is full');
    store.audit.append(rows);
  };
  const log = new AuditLog({ ...store, audit: { ...store.audit, append } }, silentLog);
  const recordOf = (keyId: string, action: string) =>
    log.record({
      owner: { id: 'usr_a', keyId },
      computerId,
      action,
      detail: {},
      outcome: 'ok',
      ...startTimer()(),
    });
  const free = () => {
    isFull = false;
  };
  return { log, recordOf, free };
}

it('keeps the last ten thousand entries while the disk is full', () => {
  const { log, recordOf, free } = onFullDisk();
  recordOf('key_a', 'first');
  for (let i = 0; i < 12_000; i += 1) recordOf('key_a', 'wait');
  expect(log.list(computer, { limit: 1 })).toEqual([]);
  free();
  recordOf('key_a', 'last');
  const actions = log.list(computer, { limit: 20_000 }).map(({ action }) => action);
  expect([actions[0], actions.length, actions.includes('first')]).toEqual(['last', 10_001, false]);
});

it('writes a hundred refusals of a key at once, and says later how many it left out', () => {
  const refuse = () =>
    test.fleet.auditLog.record({
      owner: { id: 'usr_a', keyId: 'key_a' },
      computerId,
      action: 'click',
      detail: {},
      outcome: 'controlled',
      isRefusal: true,
      ...startTimer()(),
    });
  for (let i = 0; i < 150; i += 1) refuse();
  expect(recorded()).toHaveLength(100);
  vi.advanceTimersByTime(11 * 60_000);
  refuse();
  const [last] = test.fleet.auditLog.list(computer, { limit: 1 });
  expect(last?.detail.left_out).toBe(50);
});

it('divides the names of many secrets among entries, each of which is short', () => {
  const names = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(64, 'x'));
  test.fleet.auditLog.record({
    owner: { id: 'usr_a', keyId: 'key_a' },
    computerId,
    action: 'type',
    outcome: 'ok',
    detail: { text_length: 7, secrets: names.join(' ') },
    ...startTimer()(),
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
