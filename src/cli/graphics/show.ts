import { type Output, write } from '../io.js';
import type { Graphics } from './protocol.js';
import { iterm2Sequence, kittySequence } from './sequences.js';

/** Pixels of a character cell, where the terminal does not say. */
const CELL_WIDTH = 10;
/** A picture is as wide as the terminal, but no wider than this many columns. */
const MOST_COLUMNS = 120;

/** Shows a PNG in the terminal, where the text goes on below it. */
export async function showPicture(output: Output, png: Buffer, graphics: Graphics): Promise<void> {
  const columns = Math.max(20, Math.min(MOST_COLUMNS, output.columns ?? 80));
  await write(output, await sequence(png, graphics, columns));
}

async function sequence(png: Buffer, graphics: Graphics, columns: number): Promise<string> {
  if (graphics === 'kitty') return kittySequence(png, columns);
  if (graphics === 'iterm2') return iterm2Sequence(png, columns);
  const [{ default: sharp }, { sixelSequence }] = await Promise.all([
    import('sharp'),
    import('./sixel.js'),
  ]);
  const { data, info } = await sharp(png)
    .resize({ width: columns * CELL_WIDTH, withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sixelSequence(data, info.width, info.height);
}
