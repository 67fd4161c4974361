import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WallComputer } from '../../src/dashboard/app/api/types.js';
import { dismiss, notices } from '../../src/dashboard/app/state/notices.js';
import { perform, shownStatus } from '../../src/dashboard/app/state/power.js';
import { computers, noteComputer } from '../../src/dashboard/app/state/wall.js';
import { computer } from '../cli/support/run.js';

const many = Array.from({ length: 28 }, (_, at) => ({
  ...computer,
  ...{ id: `cmp_${at}`, name: `crawl-${at}`, seq: 0 },
})) as unknown as WallComputer[];

/** What is answered to a request for a computer, with the number of the attempt from 1 on. */
type Reply = (at: number, attempt: number) => Response;
let reply: Reply;
let now = 0;
let most = 0;

const lost: Reply = () => {
  throw new TypeError('ERR_NETWORK_CHANGED');
};
const gone = () => Response.json({ success: true });
const refused = (error: string, status: number, code: string) =>
  Response.json({ error }, { status, headers: { 'x-error-code': code } });

beforeEach(() => {
  vi.useFakeTimers();
  most = 0;
  const attempts = new Map<string, number>();
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/health') return gone();
    const attempt = (attempts.get(path) ?? 0) + 1;
    attempts.set(path, attempt);
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 10));
    now -= 1;
    return reply(Number(/cmp_(\d+)/.exec(path)?.[1]), attempt);
  });
  for (const each of many) noteComputer(each);
});
afterEach(() => {
  for (const { id } of notices.value) dismiss(id);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function done(work: Promise<void>): Promise<void> {
  await vi.runAllTimersAsync();
  await work;
}
const shown = () => notices.value.map(({ text }) => text);

it('deletes many computers, at most four at once, although requests are lost', async () => {
  reply = (at, attempt) => (attempt === 1 && at > 5 ? lost(at, attempt) : gone());
  const work = perform('delete', many);
  expect(many.map(shownStatus).every((status) => status === 'deleting')).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  await work;
  expect(most).toBe(4);
  expect(computers.value.size).toBe(0);
  expect(shown()).toEqual(['28 deleted']);
});

it('a computer that a lost request has deleted is deleted', async () => {
  reply = (at, attempt) =>
    attempt === 1 ? lost(at, attempt) : refused('There is no computer.', 404, 'not_found');
  await done(perform('delete', many.slice(0, 1)));
  expect(computers.value.has('cmp_0')).toBe(false);
  expect(shown()).toEqual([]);
});

it('says how many were not deleted, and deletes these when asked again', async () => {
  reply = (at, attempt) => (at > 5 ? lost(at, attempt) : gone());
  await done(perform('delete', many));
  expect(shown()).toEqual(['6 deleted, 22 not']);
  const [notice] = notices.value;
  expect(notice?.failed).toMatchObject([{ failure: { code: 'unreachable' } }]);
  expect(notice?.failed[0]?.names).toHaveLength(22);
  reply = gone;
  notice?.retry?.();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(computers.value.size).toBe(0);
  expect(shown().at(-1)).toBe('22 deleted');
});

it('starts beyond a limit are one notice with the names', async () => {
  reply = (at) =>
    at < 6 ? Response.json(many[at]) : refused('6 computers run already.', 429, 'limit_reached');
  await done(perform('start', many));
  expect(shown()).toEqual(['6 starting, 22 not']);
  expect(notices.value[0]?.failed[0]?.names).toContain('demo/crawl-27');
});

it('a restart is sent once, and its failure is shown', async () => {
  let sent = 0;
  reply = (at, attempt) => {
    sent += 1;
    return lost(at, attempt);
  };
  await done(perform('restart', many.slice(0, 1)));
  expect(sent).toBe(1);
  expect(shown()).toEqual(['Could not restart demo/crawl-0']);
});
