import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/errors/cli-error.js';
import { since } from '../../../src/cli/input/date.js';

const NOW = new Date('2026-11-23T04:00:00.000Z');

test.each([
  ['2h', '2026-11-23T02:00:00.000Z'],
  ['7d', '2026-11-16T04:00:00.000Z'],
  ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
  ['2026-11-20', new Date(2026, 10, 20).toISOString()],
])('since %s is since %s', (text, time) => {
  expect(since(text)(NOW)).toBe(time);
});

test.each(['', '30', 'yesterday', '-1d', '999999999w', '2026-13-01'])('%j is no time', (text) => {
  expect(() => since(text)).toThrow(UsageError);
});
