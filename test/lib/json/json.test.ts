import { describe, expect, it } from 'vitest';
import { jsonLength } from '../../../src/lib/json/length.js';

const LONG = 100_000;

/** Long texts whose slices begin and end at every kind of character. */
const texts = {
  plain: 'x'.repeat(LONG),
  escapes: '"\\\b\f\n\r\t\u0001\u001f/\u007f\u2028'.repeat(LONG / 10),
  pairs: '\u{1f600}'.repeat(LONG),
  'shifted pairs': `x${'\u{1f600}'.repeat(LONG)}`,
  'first halves': '\ud83d'.repeat(LONG),
  'second halves': '\ude00'.repeat(LONG),
  'halves in the wrong order': '\ude00\ud83d'.repeat(LONG),
};

const values = {
  ...texts,
  'a text of one slice': 'x'.repeat(16_384),
  'a list of texts': Object.values(texts),
  'small values': [null, true, 0, -0, 1.5e300, Number.NaN, '', [], {}, new Date(0)],
  'many small values': Array.from({ length: 5_000 }, (_, count) => ({ count, name: `é${count}` })),
  'what JSON leaves out': {
    none: undefined,
    list: [undefined, () => undefined, Symbol('x'), 'x'.repeat(LONG)],
    call: () => undefined,
    symbol: Symbol('x'),
  },
  'an object of which JSON leaves out all': { [`x${'x'.repeat(LONG)}`]: undefined },
  'keys to escape': { '"\u0001\ud83d': { [`\n${'x'.repeat(LONG)}`]: 'x' } },
  'nested objects': { a: { b: [{ c: 'x'.repeat(LONG), date: new Date(0) }, [[['y']]]] }, z: 1 },
};

describe.each(Object.entries(values))('the JSON of %s', (_, value) => {
  it('has the length that is counted', () => {
    expect(jsonLength(value)).toBe(JSON.stringify(value).length);
  });
});
