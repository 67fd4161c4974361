import { expect, it } from 'vitest';
import type { ClusterMember } from '../../src/contract/resources.js';
import {
  drainConsequences,
  pauseOf,
  returnConsequences,
  space,
  wallOf,
} from '../../src/dashboard/app/pages/hosts/describe.js';

const member = (name: string, given: Partial<ClusterMember> = {}): ClusterMember => ({
  ...{ name, engine: 'incus', status: 'online', detail: '', address: '', architecture: 'x86_64' },
  ...{ groups: [], cpu: null, memory_used_bytes: null, memory_total_bytes: null },
  ...{ disk_used_bytes: null, disk_total_bytes: null, computer_count: 3, running_count: 2 },
  ...{ drain: null, ...given },
});
const drainText = (one: ClusterMember, ...others: ClusterMember[]) =>
  drainConsequences(one, [one, ...others]).join(' ');

it('says before a drain what is stopped and lost', () => {
  const text = drainText(member('m1'), member('m2'));
  expect(text).toContain('Its 3 computers are moved to other members');
  expect(text).toContain('2 of them run: each is stopped');
  expect(text).toContain('what they have not saved is lost');
  expect(text).not.toContain('No other member');
});

it('says nothing of a loss where nothing runs', () => {
  const text = drainText(member('m1', { running_count: 0 }), member('m2'));
  expect(text).toContain('None of them runs');
  expect(text).not.toContain('lost');
  const empty = drainText(member('m1', { computer_count: 0, running_count: 0 }), member('m2'));
  expect(empty).toBe(
    'The member gets no new computers until you return it. It has no computers now.',
  );
});

it('says that no other member takes computers', () => {
  const others = [member('m2', { status: 'offline' }), member('m3', { status: 'draining' })];
  expect(drainText(member('m1'), ...others)).toContain('No other member takes computers now');
  expect(drainText(member('m1', { computer_count: 1, running_count: 1 }))).toContain(
    'Its computer is moved to another member with its disk, which may take minutes. It runs: it is stopped',
  );
});

it('says on return that a move under way is completed', () => {
  const drain = { since: '2026-11-23T00:00:00.000Z', moving: 'cmp_1', failed: [] };
  expect(returnConsequences(member('m1', { drain })).join(' ')).toContain('is still moved');
  const text = returnConsequences(member('m1', { computer_count: 0 })).join(' ');
  expect(text).toBe(
    'The member may have new computers again. Computers that were moved stay where they are.',
  );
});

it('shows used and free space, and nothing where it is not known', () => {
  const gib = 2 ** 30;
  expect(space(gib, 4 * gib)).toEqual({ used: '1.0 GB', free: '3.0 GB', part: 0.25 });
  expect(space(null, gib)).toBeUndefined();
  expect(space(0, 0)).toBeUndefined();
});

it('reads members more often during a drain, and links the computers of one', () => {
  expect(pauseOf([member('m1'), member('m2', { status: 'draining' })])).toBe(2_000);
  expect(pauseOf([member('m1')])).toBe(10_000);
  expect(wallOf({ name: 'a&b' })).toBe('/computers?member=a%26b');
});
