// @module-tag slow
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { graphemesOf, isGrapheme } from '../../../src/screen/typing/graphemes.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const segmented = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** Code points of every class of UAX #29, and some that only look like these. */
const units = [
  ['a', 'é', '中', 'Ж', 'ع', '한', '가', '1', '©', '👍', '👩', '🇩', '🇪', '\u{10ffff}'],
  ['\u0301', '\u200d', '\u200c', '\ufe0f', '🏽', '\u0903', '\u0e33', '\u0600', '\u0d4e'],
  ['\u1100', '\u1161', '\u11a8', '\u0915', '\u094d', '\u00ad', '\u{e0061}', '\uff9e'],
].flat();
const text = fc.array(fc.constantFrom(...units), { maxLength: 40 }).map((list) => list.join(''));

test('divides as the segmenter does', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect([...graphemesOf(value)]).toEqual(segmented(value));
      expect(isGrapheme(value)).toBe(segmented(value).length === 1);
    }),
    { numRuns: 1000 },
  );
});

test('divides a text of several windows as the segmenter divides the whole', () => {
  const parts = fc.array(text, { minLength: 20, maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(3), fc.constantFrom(...units), parts, (offset, unit, list) => {
      const value = 'a'.repeat(offset) + list.join(unit.repeat(50));
      expect([...graphemesOf(value)]).toEqual(segmented(value));
    }),
    { numRuns: 50 },
  );
  // Windows that end within a surrogate pair.
  const modified = `a${'👍🏽'.repeat(1000)}`;
  expect([...graphemesOf(modified)]).toEqual(segmented(modified));
});

test('uses the segmenter only where code points combine', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  try {
    for (const value of [
      `é${'a'.repeat(99_998)}é`,
      '中文かな한글'.repeat(10_000),
      '👍'.repeat(50_000),
    ]) {
      let count = 0;
      for (const grapheme of graphemesOf(value)) count += grapheme.length;
      expect(count).toBe(value.length);
    }
    expect(segment.mock.calls.length).toBe(0);
  } finally {
    segment.mockRestore();
  }
});

test('knows each code point that combines with another', { timeout: 60_000 }, () => {
  const isCharacter = /[^\p{Cn}\p{Co}\p{Cs}\p{Cc}]/u;
  const wrong: string[] = [];
  for (let code = 0x80; code < 0x20000; code += 1) {
    const point = String.fromCodePoint(code);
    // Nothing beside it leads to the segmenter.
    const value = `a${point}${point}가a`;
    if (!isCharacter.test(point)) continue;
    if ([...graphemesOf(value)].length !== segmented(value).length) wrong.push(point);
  }
  expect(wrong).toEqual([]);
});
