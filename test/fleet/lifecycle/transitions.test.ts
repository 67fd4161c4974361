import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ComputerStatus } from '../../../src/contract/resources.js';
import {
  INITIAL,
  INTENDED,
  judge,
  type Occasion,
  TRANSITIONS,
} from '../../../src/fleet/lifecycle/lifecycle.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ASKS = ['start', 'restart', 'reset', 'stop', 'remove'] as const;
const RESULTS = ['ready', 'stopped', 'copied', 'failed', 'delayed', 'removed'] as const;
const NEWS = ['seen running', 'seen stopped', 'seen failed', 'lost'] as const;
const OCCASIONS: readonly Occasion[] = [...ASKS, ...RESULTS, ...NEWS];
const statuses = ComputerStatus.options;

/** The table as the documentation shows it. */
function table(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(['', ...OCCASIONS]),
    row(Array(OCCASIONS.length + 1).fill('---')),
    ...statuses.map((status) => {
      const cells = OCCASIONS.map((occasion) => TRANSITIONS[status][occasion] ?? '');
      return row([`**${status}**`, ...cells]);
    }),
  ].join('\n');
}

it('the table matches the documentation', () => {
  const docs = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  expect(docs).toContain(`test/fleet/lifecycle/transitions.test.ts -->\n${table()}\n<!-- end -->`);
});

it('reaches a final status from every status, for any result of the intended step', () => {
  for (const [status, step] of Object.entries(INTENDED)) {
    const results = TRANSITIONS[status as keyof typeof INTENDED];
    const good = { start: 'ready', stop: 'stopped', remove: 'removed' } as const;
    expect(results[good[step]]).toBe({ start: 'running', stop: 'stopped', remove: 'gone' }[step]);
    expect(results.delayed).toBe(status);
    expect(results.failed).toBe(step === 'remove' ? 'deleting' : 'error');
  }
});

it('a deletion ends only when the machine is removed', () => {
  const { removed, ...others } = TRANSITIONS.deleting;
  expect(removed).toBe('gone');
  expect(new Set(Object.values(others))).toEqual(new Set(['deleting']));
  expect(TRANSITIONS.deleting.start).toBeUndefined();
});

it('allows deletion in every status, and a start in every one but deleting', () => {
  for (const status of statuses) expect(TRANSITIONS[status].remove).toBe('deleting');
  for (const status of statuses.filter((status) => status !== 'deleting')) {
    expect(['starting', 'running']).toContain(TRANSITIONS[status].start);
  }
});

it('can reach every status from the first one', () => {
  const reached = new Set<string>([INITIAL]);
  for (const status of reached) {
    const next = TRANSITIONS[status as ComputerStatus] ?? {};
    for (const to of Object.values(next)) reached.add(to);
  }
  expect(reached).toEqual(new Set([...statuses, 'gone']));
});

it('the reconciler chooses allowed transitions only, and reports no disk as lost that never existed', () => {
  const at = fc.constantFrom(null, '2026-01-01T00:00:00.000Z');
  const state = fc.constantFrom(
    undefined,
    'running' as const,
    'stopped' as const,
    'error' as const,
    'unreachable' as const,
    'moving' as const,
  );
  fc.assert(
    fc.property(fc.constantFrom(...statuses), at, at, state, at, (...given) => {
      const [status, started_at, copied_at, machine, reset_to] = given;
      const named = { project_name: 'demo', name: 'desktop' };
      const isMoving = machine === 'moving';
      const moving = { status: 'unreachable', isMoving: true } as const;
      const found = machine && (isMoving ? moving : { status: machine });
      const verdict = judge({ ...named, status, started_at, copied_at, reset_to }, found);
      const hadDisk = started_at !== null || copied_at !== null;
      // Nothing is known of it: its status stays, and it is not lost.
      if (machine === 'unreachable') {
        expect(verdict).toBeUndefined();
        return;
      }
      // A step completes its move; no status is derived from it.
      if (isMoving && verdict) expect(verdict).toHaveProperty('pursue');
      if (status === 'deleting') expect(verdict).toEqual({ pursue: 'remove' });
      else if (verdict && 'pursue' in verdict) {
        expect(TRANSITIONS[status][verdict.pursue]).toBeDefined();
        // Only intended steps are resumed.
        expect(verdict.pursue).toBe(INTENDED[status as keyof typeof INTENDED]);
      } else if (verdict?.news === 'lost')
        expect([hadDisk, machine, reset_to]).toEqual([true, undefined, null]);
      else if (status === 'starting' || status === 'stopping') expect(verdict).toBeUndefined();
      if (status === 'starting' || status === 'stopping') expect(verdict).toBeDefined();
    }),
    { numRuns: 1000 },
  );
});

it('one file writes statuses, and one file changes machines', () => {
  const fleet = join(ROOT, 'src/fleet');
  const files = readdirSync(fleet, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const matching = (pattern: RegExp) =>
    files.filter((name) => pattern.test(readFileSync(join(fleet, name), 'utf8'))).sort();
  expect(matching(/UPDATE computers SET status|DELETE FROM computers/)).toEqual([
    'store/computers.ts',
  ]);
  // The reconciler removes orphans.
  expect(matching(/engine\.(create|start|stop|reset)\(/)).toEqual(['lifecycle/machine.ts']);
  expect(matching(/engine\s*\.(save|removeSaved)\(/)).toEqual(['snapshots/saved-disks.ts']);
  expect(matching(/engine\.remove\(/)).toEqual(['lifecycle/machine.ts', 'lifecycle/reconcile.ts']);
});

it('a reason of the engine names no path of the host', () => {
  const record = {
    status: 'running',
    started_at: '2026-01-01T00:00:00.000Z',
    copied_at: null,
    reset_to: null,
  } as const;
  const reason = 'Its QEMU exited: filename=/var/lib/vc/machines/x/disk.qcow2: Could not open';
  const named = { project_name: 'demo', name: 'desktop' };
  expect(judge({ ...record, ...named }, { status: 'error', reason })).toEqual({
    news: 'seen failed',
    reason: 'Its QEMU exited: filename=…/disk.qcow2: Could not open',
  });
});
