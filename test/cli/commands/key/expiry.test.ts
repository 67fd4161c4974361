import { expect, test } from 'vitest';
import { expiry } from '../../../../src/cli/commands/key/expiry.js';
import { UsageError } from '../../../../src/cli/errors/cli-error.js';

const NOW = new Date('2026-11-23T04:00:00.000Z');

test.each([
  ['30d', '2026-12-23T04:00:00.000Z'],
  ['2w', '2026-12-07T04:00:00.000Z'],
  ['12h', '2026-11-23T16:00:00.000Z'],
  ['90m', '2026-11-23T05:30:00.000Z'],
  ['2027-01-31T10:00:00Z', '2027-01-31T10:00:00.000Z'],
  ['2027-01-31T10:00:00+02:00', '2027-01-31T08:00:00.000Z'],
  ['2027-01-31', new Date(2027, 0, 31).toISOString()],
  ['never', null],
])('%s is %s', (text, time) => {
  expect(expiry(text)(NOW)).toBe(time);
});

test.each(['', '0d', '30', '-1d', '30 d', '999999999w', 'tomorrow', '2027-13-01', '2027-1-1'])(
  '%j is no expiry',
  (text) => {
    expect(() => expiry(text)).toThrow(UsageError);
  },
);

test.each(['2026-11-23T04:00:00Z', '2020-01-01'])('%s is in the past', (text) => {
  expect(() => expiry(text)(NOW)).toThrow(`--expires must be in the future, not "${text}"`);
});
