import { expect, it } from 'vitest';
import { cut } from '../../../src/lib/text/cut.js';

it('cuts a long text, and stays well-formed', () => {
  expect(cut('abc', 3)).toBe('abc');
  expect(cut('abcd', 3)).toBe('abc…');
  expect(cut('ab👍', 3)).toBe('ab\ufffd…');
});
