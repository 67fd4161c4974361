import { afterEach, expect, it, vi } from 'vitest';
import { readAll, readEntries } from '../../src/dashboard/app/pages/activity/read.js';

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
