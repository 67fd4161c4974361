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

it('reads a caret that comes and goes no third time', async () => {
  const pictures = [await dialog(), await dialog({ ...CARET, width: 8 })];
  const screen = new FakeScreen();
  let shown = 0;
  Object.assign(screen, {
    refresh: async () => shown,
    pixels: async () => [pictures[shown % pictures.length]],
  });
  const session = { screen: { use: <T>(work: (on: FakeScreen) => T) => work(screen) } };
  const text = new ScreenText();
  const read = () => text.read(session as unknown as Session);
  const lines = await read();
  shown = 1;
  await read();

  const { PATH } = process.env;
  process.env.PATH = '/nonexistent';
  try {
    shown = 2;
    expect((await read()).flat()).toEqual(lines.flat());
    shown = 3;
    await read();
    pictures.push(await dialog({ left: 600, top: 700, width: 9, height: 16 }));
    shown = pictures.length - 1;
    await expect(read()).rejects.toMatchObject({ code: 'unsupported' });
  } finally {
    process.env.PATH = PATH;
  }
});
