import { afterEach, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../src/dashboard/app/api/types.js';
import {
  duration,
  endOf,
  joined,
  readAll,
  readEntries,
} from '../../src/dashboard/app/pages/activity/read.js';
import { tell } from '../../src/dashboard/app/pages/activity/sentences.js';

afterEach(() => vi.unstubAllGlobals());

/** A service with so many entries; answers the queries that it was asked. */
function serve(count: number): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const query = new URL(path, 'http://127.0.0.1').searchParams;
    asked.push(query);
    const last = Number(query.get('before') ?? count + 1) - 1;
    const length = Math.min(Number(query.get('limit')), last);
    return Response.json({ entries: Array.from({ length }, (_, at) => ({ id: last - at })) });
  });
  return asked;
}

it('the service filters the entries', async () => {
  const asked = serve(1);
  await readEntries({ action: 'key', outcome: 'failed', computer: '', other: 'x' });
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    ...{ limit: '200', action: 'key', outcome: 'failed' },
  });
});

it('an export has all entries that match, however many', async () => {
  const asked = serve(25_000);
  const ids = new Set<number>();
  for await (const page of readAll({ key: 'ci' })) for (const { id } of page) ids.add(id);
  expect(ids.size).toBe(25_000);
  expect(asked.every((query) => query.get('key') === 'ci')).toBe(true);
});

it('new entries come before the known ones, unless some between them are missing', () => {
  const entries = (...ids: number[]) => ids.map((id) => ({ id }) as AuditEntry);
  const ids = (all: readonly AuditEntry[] | undefined) => all?.map(({ id }) => id);
  expect(ids(joined(entries(5, 4, 3), entries(4, 3, 2)))).toEqual([5, 4, 3, 2]);
  expect(ids(joined(entries(4, 3), entries(4, 3, 2)))).toEqual([4, 3, 2]);
  expect(ids(joined(entries(1), []))).toEqual([1]);
  expect(joined(entries(9, 8), entries(4, 3))).toBeUndefined();
});

it('a long entry has the time of its end, at which it is listed', () => {
  const entry = { at: '2026-11-30T08:00:00.000Z', ms: 7_200_500 } as AuditEntry;
  expect(endOf(entry)).toBe('2026-11-30T10:00:00.500Z');
});

it('says in the past tense what was done', () => {
  const said = (action: string) =>
    tell({ action, outcome: 'ok', detail: {}, computer_id: 'cmp_1' } as unknown as AuditEntry).did;
  expect(said('resetComputer')).toBe('reset');
  expect(said('buildImage')).toBe('built the image');
  expect(said('createSnapshot')).toBe('took a snapshot of');
});

it('a duration has a unit that fits', () => {
  expect([17, 2_340, 600_000].map(duration)).toEqual(['17 ms', '2.3 s', '10 min']);
});
