import { type Output, write } from '../../framework/io.js';
import type { TextColors } from './half-blocks.js';
import type { Graphics } from './protocol.js';

/** Assumed width of a character cell in pixels. */
const CELL_WIDTH = 10;
const MAX_COLUMNS = 120;

/** Prints a PNG, as wide as the terminal: with its graphics, or as text in its colours. */
export async function showImage(
  output: Output,
  png: Buffer,
  graphics: Graphics | TextColors,
): Promise<void> {
  const columns = Math.max(20, Math.min(MAX_COLUMNS, output.columns || 80));
  await write(output, await sequence(png, graphics, { columns, rows: output.rows }));
}

async function sequence(
  png: Buffer,
  graphics: Graphics | TextColors,
  { columns, rows }: { readonly columns: number; readonly rows: number | undefined },
): Promise<string> {
  if (graphics === 'kitty') return kittySequence(png, columns);
  if (graphics === 'iterm2') return iterm2Sequence(png, columns);
  if (graphics !== 'sixel') {
    // One line stays for the prompt.
    const most = rows === undefined ? undefined : Math.max(10, rows - 1) * 2;
    const { data, width, height } = await pixelsOf(png, columns, most);
    return (await import('./half-blocks.js')).halfBlocks(data, width, height, graphics);
  }
  const { data, width, height } = await pixelsOf(png, columns * CELL_WIDTH);
  return (await import('./sixel.js')).sixelSequence(data, width, height);
}

/** The pixels of an image that is at most `width` wide and `height` high. */
async function pixelsOf(png: Buffer, width: number, height?: number) {
  const { default: sharp } = await import('sharp');
  const { data, info } = await sharp(png)
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Bytes of base64 in one kitty escape sequence; its specification allows 4096. */
const KITTY_CHUNK = 4096;

/** A PNG in kitty's graphics protocol, `columns` wide; q=2 suppresses answers. */
export function kittySequence(png: Buffer, columns: number): string {
  const data = png.toString('base64');
  const chunks: string[] = [];
  for (let at = 0; at === 0 || at < data.length; at += KITTY_CHUNK) {
    const more = at + KITTY_CHUNK < data.length ? 1 : 0;
    const control = at === 0 ? `a=T,f=100,q=2,c=${columns},m=${more}` : `m=${more}`;
    chunks.push(`\u001b_G${control};${data.slice(at, at + KITTY_CHUNK)}\u001b\\`);
  }
  return `${chunks.join('')}\n`;
}

/** An image file as iTerm2's inline image, `columns` wide. */
export function iterm2Sequence(file: Buffer, columns: number): string {
  const options = `inline=1;size=${file.length};width=${columns};preserveAspectRatio=1`;
  return `\u001b]1337;File=${options}:${file.toString('base64')}\u0007\n`;
}
