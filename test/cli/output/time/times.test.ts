import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clock, elapsedProgress } from '../../../../src/cli/output/time/elapsed.js';
import {
  ageAndTime,
  localTime,
  relativeTime,
} from '../../../../src/cli/output/time/relative-time.js';
import { computer, openWorld, project, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const terminal = { terminal: true, env: { NO_COLOR: '1' } };

test('a time is an age, then the local time', () => {
  const at = new Date(2026, 10, 22, 11, 3, 7);
  expect(localTime(at)).toBe('2026-11-22 11:03:07');
  const now = new Date(at.getTime() + 3 * 60_000);
  expect(ageAndTime(at.toISOString(), now)).toBe('3 minutes ago (2026-11-22 11:03:07)');
  expect(ageAndTime('never', now)).toBe('never');
});

test('a time to come is in the future, unless clocks merely differ', () => {
  const now = new Date('2025-01-02T03:04:05Z');
  const inSeconds = (seconds: number) =>
    relativeTime(new Date(now.getTime() + seconds * 1000).toISOString(), now);
  const day = 86_400;
  expect([5, 30, 80, 2 * 3600, 30 * day, 90 * day, 400 * day].map(inSeconds)).toEqual([
    ...['just now', 'in 30 seconds', 'in 1 minute', 'in 2 hours', 'in 30 days', 'in 3 months'],
    'in 1 year',
  ]);
  // What has just been set is as far away as it was set, a moment later too.
  expect([3600, day, 7 * day, 30 * day, 365 * day].map((time) => inSeconds(time - 5))).toEqual([
    ...['in 1 hour', 'in 1 day', 'in 7 days', 'in 30 days', 'in 1 year'],
  ]);
  expect([-0.5, -1, -2 * day].map(inSeconds)).toEqual(['just now', '1 second ago', '2 days ago']);
});

test('vc get shows ages on a terminal, RFC 3339 in a pipe and in JSON', async () => {
  world.service.on('GET /projects/demo/computers/desktop', computer);
  const get = ['computer', 'get', 'demo/desktop'];
  const created = localTime(new Date(computer.created_at));
  const shown = (await world.run(get, terminal)).stdout;
  expect(shown).toMatch(new RegExp(`^created +3 minutes ago \\(${created}\\)$`, 'm'));
  expect(shown).toMatch(/^started +2 minutes ago \(/m);
  expect((await world.run(get)).stdout).toContain(`created\t${computer.created_at}\n`);
  const json = await world.run([...get, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ created_at: computer.created_at });
});

test('vc project get and vc job get show ages on a terminal', async () => {
  world.service.on('GET /projects/demo', { ...project, computers: [] });
  const shown = await world.run(['project', 'get', 'demo'], terminal);
  expect(shown.stdout).toMatch(/^created +1 day ago \(20/m);
  const job = {
    ...{
      id: 'job_1',
      command: 'make',
      pid: 7,
      status: 'running',
      exit_code: null,
      truncated: false,
    },
    ...{ started_at: computer.created_at, ended_at: null, output_bytes: 0, output: '' },
  };
  world.service.on('GET /projects/demo/computers/desktop/jobs/job_1', { ...job, next_offset: 0 });
  const get = ['job', 'get', 'demo/desktop', 'job_1'];
  const { stdout } = await world.run(get, terminal);
  expect(stdout).toMatch(/^started +3 minutes ago \(20/m);
  expect(stdout).toMatch(/^ended +not yet$/m);
});

test('an elapsed time advances every second until the end', () => {
  vi.useFakeTimers();
  try {
    const texts: string[] = [];
    const progress = (text: string) => {
      texts.push(text);
      return { update: (next: string) => texts.push(next), stop: () => texts.push('stopped') };
    };
    const { stop } = elapsedProgress({ progress }, (elapsed) => `Recording ${elapsed}`);
    vi.advanceTimersByTime(2000);
    stop();
    vi.advanceTimersByTime(2000);
    expect(texts).toEqual(['Recording 0:00', 'Recording 0:01', 'Recording 0:02', 'stopped']);
  } finally {
    vi.useRealTimers();
  }
});

test('elapsed times are formatted as on a clock', () => {
  expect([0, 7.9, 65, 3599, 3723].map(clock)).toEqual(['0:00', '0:07', '1:05', '59:59', '1:02:03']);
});

test('vc computer control says when it was taken, and names the key', async () => {
  const holder = { key_id: 'key_1', key_name: 'ci', session: false };
  const control = { holder, since: computer.created_at, expires_at: computer.created_at };
  world.service.on('GET /projects/demo/computers/desktop/control', { control, is_mine: false });
  const argv = ['computer', 'control', 'demo/desktop'];
  expect((await world.run(argv, terminal)).stdout).toBe(
    'key "ci" has control of demo/desktop, taken 3 minutes ago\n',
  );
  expect((await world.run(argv)).stdout).toBe(
    `key "ci" has control of demo/desktop since ${computer.created_at}\n`,
  );
});

test('vc get says since when a key has control', async () => {
  const holder = { key_id: 'key_1', key_name: 'ci', session: false };
  const control = { holder, since: computer.created_at, expires_at: computer.created_at };
  world.service.on('GET /projects/demo/computers/desktop', { ...computer, control });
  const { stdout } = await world.run(['get', 'demo/desktop'], terminal);
  expect(stdout).toMatch(/^control +key "ci"$/m);
  expect(stdout).toMatch(/^control since +3 minutes ago/m);
});
