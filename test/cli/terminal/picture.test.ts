import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../support/run.js';

let world: World;
let png: Buffer;
beforeEach(async () => {
  world = await openWorld();
  const create = { width: 40, height: 20, channels: 3 as const, background: '#3070c0' };
  png = await sharp({ create }).png().toBuffer();
  world.service.handle('GET /projects/demo/computers/desktop/screenshot', (_, response) => {
    response.setHeader('content-type', 'image/png');
    response.end(png);
  });
});
afterEach(() => world.close());

const shot = ['computer', 'screenshot', 'demo/desktop'];
const files = async () => (await readdir(world.directory)).filter((name) => name.endsWith('.png'));

test.each([
  ['kitty', { TERM: 'xterm-kitty' }, '\u001b_Ga=T,f=100,'],
  ['iTerm2', { TERM_PROGRAM: 'iTerm.app' }, '\u001b]1337;File=inline=1;'],
  ['sixel', { TERM: 'foot' }, '\u001bP0;1q"1;1;40;20'],
])('is shown by a terminal with %s graphics', async (_, env, start) => {
  const { code, stdout } = await world.run(shot, { terminal: true, env: { CI: '', ...env } });
  expect(code).toBe(0);
  expect(stdout.startsWith(start)).toBe(true);
  expect(await files()).toEqual([]);
});

test.each([
  ['a pipe, whatever the terminal', shot, false, { TERM: 'xterm-kitty' }],
  ['-o -', [...shot, '-o', '-'], false, { TERM: 'xterm-kitty' }],
])('is written as bytes to %s', async (_, argv, terminal, env) => {
  const { stdoutBytes } = await world.run(argv, { terminal, env: { CI: '', ...env } });
  expect(stdoutBytes.equals(png)).toBe(true);
});

test.each([
  ['another terminal', shot, { TERM: 'dumb' }],
  ['a multiplexer', shot, { TERM: 'screen', TERM_PROGRAM: 'iTerm.app' }],
  ['a terminal that is told a file', [...shot, '-o', 'a.png'], { TERM: 'xterm-kitty' }],
])('is written to a file in %s', async (_, argv, env) => {
  const { code, stdout } = await world.run(argv, { terminal: true, env: { CI: '', ...env } });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(await files()).toHaveLength(1);
});
