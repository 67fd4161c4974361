import { type Output, write } from '../../framework/io.js';
import type { Graphics } from './protocol.js';
import { iterm2Sequence, kittySequence } from './sequences.js';

/** Assumed width of a character cell in pixels. */
const CELL_WIDTH = 10;
const MAX_COLUMNS = 120;

/** Prints a PNG, as wide as the terminal. */
export async function showImage(output: Output, png: Buffer, graphics: Graphics): Promise<void> {
  const columns = Math.max(20, Math.min(MAX_COLUMNS, output.columns ?? 80));
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
