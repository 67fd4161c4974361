import { afterEach, expect, it, vi } from 'vitest';
import type { Computer } from '../../src/dashboard/app/api/types.js';
import { readStatuses } from '../../src/dashboard/app/pages/streams/read.js';
import { isHealthy, troubleOf } from '../../src/dashboard/app/pages/streams/trouble.js';

afterEach(() => vi.unstubAllGlobals());

it('the streams that can be read are shown, and why others cannot', async () => {
  const on = ['cmp_1', 'cmp_2', 'cmp_3'].map((id) => ({ id })) as Computer[];
  let broken = ['cmp_1'];
  vi.stubGlobal('fetch', async (path: string) => {
    const isBroken = broken.some((id) => path.includes(id));
    if (isBroken) return Response.json({ error: 'It did not answer.' }, { status: 504 });
    return Response.json({ status: path.includes('cmp_2') ? 'streaming' : 'idle' });
  });
  const read = () => readStatuses(on, new AbortController().signal);
  const { streams, failure } = await read();
  expect(streams.map(({ computer }) => computer.id)).toEqual(['cmp_2']);
  expect(failure?.message).toBe('It did not answer.');
  broken = on.map(({ id }) => id);
  await expect(read()).rejects.toThrow('It did not answer.');
});

it('a stream whose target is gone says that it connects again', () => {
  const stream = { status: 'streaming', start_time: '2026-01-01T00:00:00Z' } as const;
  expect(isHealthy(stream)).toBe(true);
  const broken = { ...stream, message: 'The target refused the connection.' };
  expect(isHealthy(broken)).toBe(false);
  expect(troubleOf(broken)).toBe('Connecting again: The target refused the connection.');
  expect(troubleOf({ ...broken, status: 'terminated' })).toBe('The target refused the connection.');
});
