import { expect, it } from 'vitest';
import { isHealthy, troubleOf } from '../../src/dashboard/app/pages/streams/trouble.js';
import { replacedBy } from '../../src/dashboard/app/state/paths.js';

it('a stream whose target is gone says that it connects again', () => {
  const stream = { status: 'streaming', start_time: '2026-01-01T00:00:00Z' } as const;
  expect(isHealthy(stream)).toBe(true);
  const broken = { ...stream, message: 'The target refused the connection.' };
  expect(isHealthy(broken)).toBe(false);
  expect(troubleOf(broken)).toBe('Connecting again: The target refused the connection.');
  expect(troubleOf({ ...broken, status: 'terminated' })).toBe('The target refused the connection.');
});

it('an upload says which files it would replace', () => {
  const files = [{ name: 'a.txt' }, { name: 'b.txt' }];
  expect(replacedBy(files, [{ name: 'b.txt' }, { name: 'c' }])).toEqual(['b.txt']);
  expect(replacedBy(files, [])).toEqual([]);
});
