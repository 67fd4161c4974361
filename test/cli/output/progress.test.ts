import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { silentProgress, startProgress } from '../../../src/cli/output/progress.js';
import { eventually } from '../../support/eventually.js';

test('a spinner shows no control characters of a service or a file', async () => {
  const moves = { cursorTo: () => true, moveCursor: () => true, clearLine: () => true };
  const open = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100, ...moves });
  const io = { stdin: open(), stdout: open(), stderr: open() };
  let shown = '';
  io.stderr.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const globals = { json: false, quiet: false, color: false };
  const progress = startProgress('first \u001b]52;c;eA==\u0007', { io, env: {}, globals });
  await eventually(async () => shown.includes('first'));
  progress.update('second \u001b]0;title\u0007\u202e');
  await eventually(async () => shown.includes('second'));
  progress.stop();
  for (const control of ['\u001b]', '\u0007', '\u202e']) expect(shown).not.toContain(control);
});

test('there is no spinner on a terminal without a width', async () => {
  const open = () => Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  const io = { stdin: open(), stdout: open(), stderr: open() };
  const globals = { json: false, quiet: false, color: false };
  expect(startProgress('text', { io, env: {}, globals })).toBe(silentProgress);
});
