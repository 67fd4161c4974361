import { expect, test } from 'vitest';
import { PrefixedLines } from '../../../src/cli/terminal/prefixed-lines.js';

/** The output for pieces that arrive one after the other. */
function prefixed(pieces: readonly (string | Buffer)[]): Buffer {
  const lines = new PrefixedLines('é | ');
  return Buffer.concat([...pieces.map((piece) => lines.write(Buffer.from(piece))), lines.end()]);
}

test.each([
  [['a\nb\n'], 'é | a\né | b\n'],
  [['a', 'b\n\nc'], 'é | ab\né | \né | c\n'],
  [['$& $1\n'], 'é | $& $1\n'],
  [[''], ''],
])('%j has the prefix once a line, and ends with a line end', (pieces, expected) => {
  expect(prefixed(pieces).toString()).toBe(expected);
});

test('bytes that are no text, and characters in two pieces, stay as they are', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i).filter((byte) => byte !== 10));
  expect(prefixed([bytes])).toEqual(Buffer.concat([Buffer.from('é | '), bytes, Buffer.from('\n')]));
  const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü\n').subarray(1)];
  expect(prefixed([first, second]).toString()).toBe('é | ü\n');
});

test('a line without end is printed in parts', () => {
  const lines = new PrefixedLines('> ');
  const part = Buffer.alloc(50_000, 'x');
  expect(lines.write(part)).toHaveLength(0);
  expect(lines.write(part)).toHaveLength(100_000 + 3);
});
