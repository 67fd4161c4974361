import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { downloadOutput } from '../../../src/cli/copy/download.js';

/** Sets the title and the clipboard, clears the screen, and turns text around. */
const HOSTILE = '\u001b]0;owned\u0007\u001b]52;c;ZXZpbA==\u0007\u001b[2Jhello\u202e\n';

async function shown(isTTY: boolean): Promise<string> {
  const output = Object.assign(new PassThrough(), { isTTY });
  const copy = {
    files: { open: async () => Object.assign(new PassThrough().end(HOSTILE), { size: 1 }) },
    meter: { begin: () => undefined, counter: () => new PassThrough() },
    signal: new AbortController().signal,
  };
  await downloadOutput(copy as never, 'notes.txt', output as never);
  return String(output.read());
}

it('a file that is copied to a terminal does not control it', async () => {
  const text = await shown(true);
  expect(text).toContain('hello');
  expect([...text].filter((character) => /[\p{Cc}\p{Cf}]/u.test(character))).toEqual(['\n']);
});

it('a file that is copied to a pipe is unchanged', async () => {
  expect(await shown(false)).toBe(HOSTILE);
});
