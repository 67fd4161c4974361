// @module-tag slow
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { ScreenText } from '../../../src/fleet/screen-text/screen-text.js';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { FakeScreen } from '../../support/fake-connectors.js';

const CARET = { left: 400, top: 600, width: 2, height: 16 };

/** The picture of a dialog with black boxes. */
async function dialog(...boxes: (typeof CARET)[]): Promise<Buffer> {
  const layers = boxes.map(({ left, top, ...size }) => {
    const input = { create: { ...size, channels: 4 as const, background: '#000000' } };
    return { input, left, top };
  });
  const file = readFileSync(new URL('ocr/dialog.png', import.meta.url));
  return sharp(file).ensureAlpha().composite(layers).raw().toBuffer();
}

/** A computer that shows the pictures in turn, and what reads their text. */
function shows(pictures: readonly Buffer[]) {
  const screen = Object.assign(new FakeScreen(), {
    shown: 0,
    refresh: async () => screen.shown,
    pixels: async () => [pictures[screen.shown % pictures.length]],
  });
  const session = { screen: { use: <T>(work: (on: FakeScreen) => T) => work(screen) } };
  const text = new ScreenText();
  return {
    read: (shown: number) => {
      screen.shown = shown;
      return text.read(session as unknown as Session);
    },
    watch: () => text.watch(session as unknown as Session),
  };
}

async function withoutTesseract(work: () => Promise<void>): Promise<void> {
  const { PATH } = process.env;
  process.env.PATH = '/nonexistent';
  try {
    await work();
  } finally {
    process.env.PATH = PATH;
  }
}

it('reads a caret that comes and goes no third time', async () => {
  const { read } = shows([
    await dialog(),
    await dialog({ ...CARET, width: 8 }),
    await dialog({ ...CARET, height: 9, width: 9 }),
  ]);
  const lines = await read(0);
  await read(1);
  await withoutTesseract(async () => {
    expect((await read(3)).flat()).toEqual(lines.flat());
    await read(4);
    await expect(read(5)).rejects.toMatchObject({ code: 'unsupported' });
  });
});

it('has a program ready for the next picture of one who watches', async () => {
  const { read, watch } = shows([
    await dialog(),
    await dialog({ ...CARET, width: 8 }),
    await dialog({ ...CARET, height: 9, width: 9 }),
  ]);
  await watch();
  await withoutTesseract(async () => {
    await read(1);
    await expect(read(2)).rejects.toMatchObject({ code: 'unsupported' });
  });
});
