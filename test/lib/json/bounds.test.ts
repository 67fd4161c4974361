import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beyond, textBeyond } from '../../../src/lib/json/bounds.js';

const BOUNDS = { levels: 3, values: 6, fields: 2, allFields: 3 };

test.each([
  ['[1, 2, 3, 4, 5, 6]', undefined],
  ['[1, 2, 3, 4, 5, 6, 7]', 'values'],
  ['[ [ ], { }, [\n], {\t}, [], [] ]', undefined],
  ['[[], {}, [], {}, [], [], []]', 'values'],
  ['[[1, 2], [3, 4]]', undefined],
  ['[[1, 2], [3, [4]]]', 'values'],
  ['[[[0]]]', undefined],
  ['[[[[]]]]', 'levels'],
  ['{"a": 1, "b": [1, 2, 3]}', undefined],
  ['{"a": 1, "b": 2, "c": 3}', 'fields'],
  ['[{"a": 1, "b": 2}, {"a": 1}]', undefined],
  ['[{"a": 1}, {"a": 1, "b": 2}, {"a": 1}]', 'values'],
  ['{"a": {"a": 1, "b": {"a": 1}}}', 'allFields'],
  ['["[[[[,,,,,,,", "{\\"a\\":[[[[\\\\", "]"]', undefined],
  ['"[1,2,3,4,5,6,7]"', undefined],
  [']]]]]', undefined],
  ['"\\', undefined],
  ['', undefined],
])('%s', (text, excess) => {
  expect(textBeyond(text, BOUNDS)).toBe(excess);
});

test('a text is beyond the bounds if its value is', () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(2), (value, space) => {
    const text = JSON.stringify(value, undefined, space);
    const one = (bound: object) => ({
      levels: 99,
      values: 999,
      fields: 999,
      allFields: 999,
      ...bound,
    });
    for (const bound of [{ levels: 2 }, { values: 4 }, { fields: 2 }]) {
      // JSON.parse, unlike the generator, makes own fields of the name `__proto__`.
      expect(textBeyond(text, one(bound))).toBe(beyond(JSON.parse(text), one(bound)));
    }
  });
  fc.assert(property, { seed: 1, numRuns: 300 });
});

test('8 MB are counted', () => {
  const most = { levels: 64, values: 400_000, fields: 4_000, allFields: 50_000 };
  for (const [item, excess] of [
    ['[],', 'values'],
    ['{"a":[]},', 'allFields'],
    [`"${'\\"'.repeat(4_000)}",`, undefined],
  ] as const) {
    expect(textBeyond(`[${item.repeat(8_000_000 / item.length)}0]`, most)).toBe(excess);
  }
});
