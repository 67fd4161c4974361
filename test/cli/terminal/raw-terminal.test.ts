import { expect, test } from 'vitest';
import { EscapeFilter, terminalSize } from '../../../src/cli/terminal/raw-terminal.js';

/** The input that passes the filter, chunk by chunk, and whether the user disconnected. */
function typed(...chunks: string[]): [string, boolean] {
  let left = false;
  const keys = new EscapeFilter(() => {
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

test('a terminal of unknown size is treated as 80x24', () => {
  const stream = (size: object) => size as Parameters<typeof terminalSize>[0];
  expect(terminalSize(stream({}))).toEqual({ columns: 80, rows: 24 });
  expect(terminalSize(stream({ columns: 5000, rows: 0 }))).toEqual({ columns: 1000, rows: 24 });
});
