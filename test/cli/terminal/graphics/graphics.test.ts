import { PassThrough } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { detectGraphics, parseAttributes } from '../../../../src/cli/terminal/graphics/detect.js';
import { halfBlocks } from '../../../../src/cli/terminal/graphics/half-blocks.js';
import { graphicsByName } from '../../../../src/cli/terminal/graphics/protocol.js';
import { iterm2Sequence, kittySequence } from '../../../../src/cli/terminal/graphics/show.js';
import { sixelSequence } from '../../../../src/cli/terminal/graphics/sixel.js';

describe('a terminal is recognized by its environment variables', () => {
  it.each([
    [{ TERM: 'xterm-kitty' }, 'kitty'],
    [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
    [{ TERM: 'xterm-ghostty' }, 'kitty'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
    [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'iterm2'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
    [{ TERM: 'foot' }, 'sixel'],
    [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, 'none'],
    [{ TERM: 'screen-256color' }, 'none'],
    [{ TERM: 'dumb' }, 'none'],
    [{ TERM: 'xterm-kitty', CI: '1' }, 'none'],
    [{ TERM: 'xterm-256color' }, undefined],
  ])('%j', (env, expected) => expect(graphicsByName(env)).toBe(expected));
});

/** A terminal that answers the query for its attributes. */
function terminal(answer: string, isTTY = true) {
  const modes: boolean[] = [];
  const setRawMode = (mode: boolean) => void modes.push(mode);
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode });
  const stdout = Object.assign(new PassThrough(), { isTTY });
  let written = '';
  stdout.on('data', (chunk) => {
    written += chunk;
    if (answer !== '') stdin.write(answer);
  });
  return { io: { stdin, stdout, stderr: new PassThrough() }, modes, written: () => written };
}

const inForeground = async () => true;

test('a terminal that reports sixel graphics is queried, and its mode restored', async () => {
  const { io, modes, written } = terminal('\u001b[?62;4;22c');
  expect(await detectGraphics(io, {}, inForeground)).toBe('sixel');
  expect(written()).toBe('\u001b[c');
  expect(modes).toEqual([true, false]);
});

test('a terminal that reports none gets no image', async () => {
  expect(await detectGraphics(terminal('\u001b[?62;22c').io, {}, inForeground)).toBeUndefined();
});

test('a terminal that does not answer gets no image, and its mode is restored', {
  tags: 'slow',
}, async () => {
  const { io, modes } = terminal('');
  expect(await detectGraphics(io, {}, inForeground)).toBeUndefined();
  expect(modes).toEqual([true, false]);
});

test.each([
  ['a pipe', terminal('\u001b[?4c', false), {}, inForeground],
  [
    'a pipe with the variables of kitty',
    terminal('', false),
    { TERM: 'xterm-kitty' },
    inForeground,
  ],
  ['a background job', terminal('\u001b[?4c'), {}, async () => false],
  ['a multiplexer', terminal('\u001b[?4c'), { TMUX: 'x' }, inForeground],
])('%s is not queried', async (_, { io, modes, written }, env, foreground) => {
  expect(await detectGraphics(io, env, foreground)).toBeUndefined();
  expect({ modes, written: written() }).toEqual({ modes: [], written: '' });
});

test('an answer in several chunks is joined', () => {
  expect(parseAttributes('\u001b[?62')).toBeUndefined();
  expect(parseAttributes('x\u001b[?62;4c')).toEqual([62, 4]);
});

test('kitty: chunks of 4096, the last one marked', () => {
  const png = Buffer.alloc(4000, 7);
  const text = kittySequence(png, 80);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject
  const chunks = [...text.matchAll(/\u001b_G([^;]*);([^\u001b]*)\u001b\\/g)];
  expect(chunks.map((chunk) => chunk[1])).toEqual(['a=T,f=100,q=2,c=80,m=1', 'm=0']);
  expect(chunks.every((chunk) => (chunk[2] ?? '').length <= 4096)).toBe(true);
  expect(Buffer.from(chunks.map((chunk) => chunk[2]).join(''), 'base64')).toEqual(png);
});

test('iTerm2: one sequence with the size and the file', () => {
  const file = Buffer.from('picture');
  expect(iterm2Sequence(file, 60)).toBe(
    `\u001b]1337;File=inline=1;size=7;width=60;preserveAspectRatio=1:${file.toString('base64')}\u0007\n`,
  );
});

/** Decodes sixels to colours in percent. */
function decodeSixel(text: string): string[][] {
  const palette = new Map<string, string>();
  const rows: string[][] = [];
  let x = 0;
  let top = 0;
  let color = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject
  const body = /^\u001bP0;1q"1;1;(\d+);(\d+)([^\u001b]*)\u001b\\\n$/.exec(text)?.[3] ?? '';
  for (const [token] of body.matchAll(/#\d+;2;\d+;\d+;\d+|#\d+|!\d+[?-~]|[?-~]|\$|-/g)) {
    const [, index = '', definition] = /^#(\d+)(?:;2;(.*))?$/.exec(token) ?? [];
    if (definition !== undefined) palette.set(index, definition);
    else if (index !== '') color = index;
    else if (token === '$') x = 0;
    else if (token === '-') {
      x = 0;
      top += 6;
    } else {
      const count = Number(/^!(\d+)/.exec(token)?.[1] ?? 1);
      const bits = token.charCodeAt(token.length - 1) - 63;
      for (let step = 0; step < count; step++, x++) {
        for (let row = 0; row < 6; row++) {
          if ((bits & (1 << row)) === 0) continue;
          const line = rows[top + row] ?? [];
          rows[top + row] = line;
          line[x] = palette.get(color) ?? '';
        }
      }
    }
  }
  return rows;
}

test('sixel: every pixel has the nearest colour', () => {
  const [width, height] = [37, 20];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const isRight = at % width >= 20;
    pixels.set(isRight ? [255, 0, 0] : [255, 255, 255], at * 3);
  }
  const rows = decodeSixel(sixelSequence(pixels, width, height));
  expect(rows).toHaveLength(height);
  for (const row of rows) {
    expect(row).toHaveLength(width);
    expect(new Set(row.slice(0, 20))).toEqual(new Set(['100;100;100']));
    expect(new Set(row.slice(20))).toEqual(new Set(['100;0;0']));
  }
});

test('sixel: other colours are dithered', () => {
  const [width, height] = [32, 32];
  const rows = decodeSixel(sixelSequence(Buffer.alloc(width * height * 3, 90), width, height));
  const mean = (channel: number) => {
    const values = rows.flat().map((color) => Number(color.split(';')[channel]));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  for (const channel of [0, 1, 2]) expect(mean(channel)).toBeCloseTo((90 / 255) * 100, -1);
});

test('half blocks are two pixels each, in the nearest of 256 colours', () => {
  const pixels = Buffer.from([
    255, 0, 0, 0, 0, 0, 128, 128, 128, 255, 255, 255, 0, 0, 255, 9, 9, 9,
  ]);
  expect(halfBlocks(pixels, 2, 3, '256')).toBe(
    '\u001b[38;5;196;48;5;244m▀\u001b[38;5;16;48;5;231m▀\u001b[0m\n' +
      '\u001b[38;5;21;49m▀\u001b[38;5;232;49m▀\u001b[0m\n',
  );
});
