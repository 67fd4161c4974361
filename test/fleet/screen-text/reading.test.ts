// @module-tag slow
import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { findText } from '../../../src/fleet/screen-text/find-text.js';
import { readPicture } from '../../../src/fleet/screen-text/screen-text.js';

const folder = new URL('ocr/', import.meta.url);
const pictures = readdirSync(folder).filter((name) => name.endsWith('.png'));

/** Share of words that are read exactly, in any case. */
const LEAST = 0.95;
/** Without the packages of other languages; and letters of 9 pixels, beside some of 6. */
const HARD: Readonly<Record<string, number>> = { 'scripts.png': 0.55, 'small.png': 0.85 };

async function pixelsOf(name: string) {
  const image = sharp(readFileSync(new URL(name, folder))).ensureAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, size: { width: info.width, height: info.height } };
}

it('there are ten pictures of programs', () => expect(pictures).toHaveLength(10));

for (const name of pictures) {
  it(`the words of ${name} are read`, async () => {
    const { data, size } = await pixelsOf(name);
    const { lines, known, contrast } = await readPicture(data, size);
    const read = lines.flat().map(({ text }) => text.normalize('NFKC').toLowerCase());
    const text = readFileSync(new URL(name.replace('.png', '.txt'), folder), 'utf8');
    const words = text.trim().toLowerCase().split(/\s+/);
    const missed = words.filter((word) => {
      const at = read.indexOf(word);
      if (at >= 0) read.splice(at, 1);
      return at < 0;
    });
    console.log(`${name}: ${words.length - missed.length} of ${words.length} words`);
    const share = 1 - missed.length / words.length;
    expect(share, missed.join(' ')).toBeGreaterThanOrEqual(HARD[name] ?? LEAST);
    expect((await readPicture(data, size, { known, contrast, changes: [] })).lines).toEqual(lines);
    expect(findText(lines, 'invisible words')).toEqual([]);
  });
}
