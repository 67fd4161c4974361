import { expect, it } from 'vitest';
import { endpoints } from '../../src/contract/operations.js';
import type { AuditEntry, StatsSample } from '../../src/dashboard/app/api/types.js';
import {
  failureOf,
  OPERATIONS,
  runsOf,
  tell,
} from '../../src/dashboard/app/pages/activity/sentences.js';
import {
  followed,
  isIdle,
  lines,
  totals,
} from '../../src/dashboard/app/pages/overview/measurements.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const entry = (fields: Partial<AuditEntry>): AuditEntry => ({
  ...{ id: 1, at: ago(1), action: 'click', detail: {}, computer_id: 'cmp_a', ms: 3 },
  computer_name: 'desk',
  ...{ key_id: 'key_1', key_name: 'ci', outcome: 'ok', ...fields },
});
const sample = (minutes: number, cpu_percent: number): StatsSample => ({
  ...{ at: ago(minutes), cpu_percent, memory_used_bytes: 512 },
});

it('every operation of the audit log has a sentence', () => {
  const audited = Object.entries(endpoints).filter(([, each]) => each.audit !== undefined);
  expect(audited.length).toBeGreaterThan(50);
  expect(audited.map(([name]) => name).filter((name) => !(name in OPERATIONS))).toEqual([]);
});

it('a sentence says who did what, or failed to do it', () => {
  const sentence = (fields: Partial<AuditEntry>) => Object.values(tell(entry(fields))).join(' ');
  expect(sentence({})).toBe('ci clicked in ');
  expect(sentence({ action: 'stopComputer', outcome: 'conflict' })).toBe('ci failed to stop ');
  expect(sentence({ action: 'bash', outcome: 'cancelled' })).toBe(
    'ci cancelled: run a command in ',
  );
  expect(failureOf(entry({ action: 'bash', detail: { exit_code: 7 } }))).toBe('exit code 7');
  expect(failureOf(entry({ action: 'bash', outcome: 'guest_timeout' }))).toBe('guest timeout');
  expect(failureOf(entry({ action: 'bash', outcome: 'cancelled' }))).toBeUndefined();
  const project = { action: 'createProject', computer_id: null, detail: { name: 'shop' } };
  expect(sentence(project)).toBe('ci created the project shop');
  expect(sentence({ action: 'autoStop', key_id: 'service', key_name: null })).toBe(
    'The service stopped the idle computer ',
  );
});

it('equal entries after each other are one', () => {
  const runs = runsOf([
    ...[entry({ id: 5 }), entry({ id: 4 }), entry({ id: 3, outcome: 'timeout' })],
    ...[entry({ id: 2, computer_id: 'cmp_b' }), entry({ id: 1 })],
  ]);
  expect(runs.map(({ entry: { id }, count }) => [id, count])).toEqual([
    ...[
      [5, 2],
      [3, 1],
      [2, 1],
      [1, 1],
    ],
  ]);
});

it('newer measurements follow those of the last hour', () => {
  const history = (id: string, ...samples: StatsSample[]) => ({
    ...{ id, cpu: 2, memory_total_bytes: 1024, disk_used_bytes: null, used_at: null, samples },
  });
  expect(followed([], [])).toEqual([]);
  const known = [history('cmp_a', sample(61, 1), sample(1, 2)), history('cmp_b', sample(60.5, 3))];
  const newer = [history('cmp_a', sample(1, 2), sample(0, 4)), history('cmp_c', sample(0, 5))];
  expect(followed(known, newer)).toEqual([
    history('cmp_a', sample(1, 2), sample(0, 4)),
    history('cmp_c', sample(0, 5)),
  ]);
});

it('a computer is idle when nobody has used it for ten minutes', () => {
  expect(isIdle({ used_at: ago(9) }, NOW)).toBe(false);
  expect(isIdle({ used_at: ago(10) }, NOW)).toBe(true);
  expect(isIdle({ used_at: null }, NOW)).toBe(false);
});

it('a graph has a gap where nothing was measured, and its top is all that there is', () => {
  const all = [sample(60, 0), sample(30, 200), sample(29.5, 100)];
  expect(lines(all, (each) => each.cpu_percent, 200, NOW)).toEqual([
    ...['0.0,20.0 0.0,20.0', '50.0,1.0 50.8,10.5'],
  ]);
});

it('totals count the newest measurement of each computer', () => {
  const history = (disk_used_bytes: number | null, ...samples: StatsSample[]) => ({
    ...{ id: 'cmp_a', cpu: 2, memory_total_bytes: 1024, disk_used_bytes, used_at: null, samples },
  });
  const all = [
    history(20, sample(2, 50), sample(1, 100)),
    history(null, sample(1, 50)),
    history(5),
  ];
  expect(totals(all)).toEqual({
    ...{ measured: 2, cores: 1.5, cpu: 4, memory: 1024, ram: 2048, disks: 1, disk: 20 },
  });
});
