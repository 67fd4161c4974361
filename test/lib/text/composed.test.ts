import { expect, it, vi } from 'vitest';
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

it('composes texts with up to 30 marks in a row as Unicode does', () => {
  const letters = ['e', '\u1100', '\u1161', '\u0915', '\u{1d15f}', ' '];
  const marks = ['\u0301', '\u0323', '\u093c', '\u{1d165}', '\u20dd', '\u0344'];
  for (let count = 0; count <= 30; count++) {
    const row = Array.from({ length: count }, (_, at) => marks[(at * 5 + count) % marks.length]);
    const text = letters.map((letter) => letter + row.join('')).join('');
    expect(composed(text)).toBe(text.normalize('NFC'));
  }
});

it.each(['\u0301', '\u{1d165}'])(
  'puts each 30 marks of more (%j) in order on their own',
  (mark) => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    try {
      const row = mark.repeat(3_000);
      expect(composed(`a b${row}c${row}`)).toHaveLength(
        `a b${row}c${row}`.length - (mark === '\u0301' ? 1 : 0),
      );
      const lengths = normalize.mock.contexts.map((text) => [...String(text)].length);
      // Not one mark at a time, and not all at once.
      expect(lengths).toHaveLength(201);
      expect(Math.max(...lengths)).toBeLessThan(40);
    } finally {
      normalize.mockRestore();
    }
  },
);
