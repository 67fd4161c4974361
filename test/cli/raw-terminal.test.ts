import { expect, test } from 'vitest';
import { Escape, terminalSize } from '../../src/cli/raw-terminal.js';

/** What the program gets of keys that come one chunk after the other, and whether it was left. */
function typed(...chunks: string[]): [string, boolean] {
  let left = false;
  const keys = new Escape(() => {
    left = true;
  });
  return [chunks.map((chunk) => keys.filter(Buffer.from(chunk)).toString()).join(''), left];
}

test.each([
  [['ls ~.\r'], 'ls ~.\r', false],
  [['~', 'x'], '~x', false],
  [['~~', '.'], '~.', false],
  [['a\r', '~', '.'], 'a\r', true],
  [['~.'], '', true],
  [['cd ~\r~/x\r'], 'cd ~\r~/x\r', false],
  [['Grüße \u0003\u001b[A'], 'Grüße \u0003\u001b[A', false],
])('%j passes on %j', (chunks, passed, left) => {
  expect(typed(...chunks)).toEqual([passed, left]);
});

test('a terminal that does not know its size has an ordinary one', () => {
  const stream = (size: object) => size as Parameters<typeof terminalSize>[0];
  expect(terminalSize(stream({}))).toEqual({ columns: 80, rows: 24 });
  expect(terminalSize(stream({ columns: 5000, rows: 0 }))).toEqual({ columns: 1000, rows: 24 });
});
