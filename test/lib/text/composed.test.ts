import { expect, it } from 'vitest';
import { composed } from '../../../src/lib/text/composed.js';

it.each([
  ['', ''],
  ['e\u0301a\u0308', '\u00e9\u00e4'],
  ['a\u0301\u0323', '\u1ea1\u0301'],
  [`\u1100\u1161${'x'.repeat(100)}`, `\uac00${'x'.repeat(100)}`],
])('composes %j', (text, expected) => {
  expect(composed(text)).toBe(expected);
});

it('keeps all marks of a letter that has thousands', () => {
  const text = `e${'\u0301'.repeat(100)}${'\u0323'.repeat(100)}e\u0301`;
  const result = composed(text);
  expect(result.startsWith('\u00e9')).toBe(true);
  expect(result.endsWith('\u0323\u00e9')).toBe(true);
  expect(result).toHaveLength(200 + 1);
});

it('takes linear time for them', () => {
  const text = `a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`;
  const began = process.cpuUsage();
  composed(text);
  // ICU takes seconds.
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500);
});
