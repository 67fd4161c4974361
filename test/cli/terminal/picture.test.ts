import { readdir } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
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
  ['256 colours', { TERM: 'screen' }, '\u001b[38;5;61;48;5;61m▀▀'],
  [
    '24-bit colours',
    { TERM: 'tmux-256color', COLORTERM: 'truecolor' },
    '\u001b[38;2;48;112;192;48;2;48;112;192m▀▀',
  ],
])('is shown with --show as half blocks in %s', async (_, env, start) => {
  const argv = [...shot, '--show'];
  for (const terminal of [true, false]) {
    const { code, stdout } = await world.run(argv, {
      terminal,
      columns: 20,
      env: { CI: '', ...env },
    });
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(stdout.startsWith(start)).toBe(true);
    const shapes = lines.map((line) => stripVTControlCharacters(line));
    expect(shapes).toEqual([...Array(5).fill('▀'.repeat(20)), '']);
    expect(lines.slice(0, -1).every((line) => line.endsWith('\u001b[0m'))).toBe(true);
  }
  expect(await files()).toEqual([]);
});

test('--show uses the graphics of the terminal if it has them', async () => {
  const env = { TERM: 'xterm-kitty', CI: '' };
  const { stdout } = await world.run([...shot, '--show'], { terminal: true, env });
  expect(stdout.startsWith('\u001b_Ga=T')).toBe(true);
});

test('names the command that shows it after writing a file on another terminal', async () => {
  const { stderr } = await world.run(shot, { terminal: true, env: { CI: '', TERM: 'screen' } });
  expect(stderr).toContain('to see it here: vc screenshot demo/desktop --show\n');
  const named = await world.run([...shot, '-o', 'a.png'], { terminal: true });
  expect(named.stderr).not.toContain('--show');
});

test.each([
  [['-o', 'a.png'], {}, '--show: not possible with -o'],
  [['--format', 'png'], {}, '--show: not possible with --format'],
  [['--json'], {}, '--show: not possible with --json'],
  [['-q'], {}, '--show: not possible with --quiet'],
  [['--no-color'], {}, '--show: there are no colours on this terminal'],
  [[], { TERM: 'dumb' }, '--show: there are no colours on this terminal'],
])('is not shown with --show %j %j', async (words, env, message) => {
  const argv = [...shot, '--show', ...words];
  const { code, stdout, stderr } = await world.run(argv, { terminal: true, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(world.service.received).toEqual([]);
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
