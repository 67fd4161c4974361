import { expect, it } from 'vitest';
import { cut, excerpt, printable, printableJson } from '../../../src/lib/text/printable.js';

const UNSAFE = [
  ...[0x1b, 0x7f, 0x9b, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069],
  ...[0xfff9, 0xfffb],
];

it('no control or direction character reaches the terminal', () => {
  for (const code of UNSAFE) {
    const text = `a${String.fromCharCode(code)}b`;
    expect(printable(text), code.toString(16)).toBe('a\ufffdb');
    const document = { output: text, lines: ['x'] };
    const json = printableJson(JSON.stringify(document, null, 2));
    expect(json, code.toString(16)).not.toContain(String.fromCharCode(code));
    expect(JSON.parse(json)).toEqual(document);
  }
  expect(printable('👩‍💻 naïve 日本')).toBe('👩‍💻 naïve 日本');
});

it('an excerpt is one short line', () => {
  expect(excerpt(' two\r\n\tlines \u001b[2J ')).toBe('two lines [2J');
  expect(excerpt('x'.repeat(35_000))).toBe(`${'x'.repeat(200)}…`);
  expect(excerpt('😀'.repeat(300), 5)).toBe('😀😀\ufffd…');
});

it('cuts a long text, and stays well-formed', () => {
  expect(cut('abc', 3)).toBe('abc');
  expect(cut('abcd', 3)).toBe('abc…');
  expect(cut('ab👍', 3)).toBe('ab\ufffd…');
});
