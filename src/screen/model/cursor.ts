import type { Region, Size } from '../geometry.js';
import { PIXEL } from '../rfb/constants.js';

/** The pointer's image: red, green, blue (premultiplied by alpha) and alpha for each pixel. */
export interface Cursor extends Size {
  /** The pixel of the image that is at the pointer's position. */
  readonly hotX: number;
  readonly hotY: number;
  readonly pixels: Buffer;
}

/** A pointer with its hot spot at `x`, `y` of the screen. */
export interface DrawnCursor {
  readonly cursor: Cursor;
  readonly x: number;
  readonly y: number;
}

/** The part of the screen that a pointer covers; may reach beyond its edges. */
export function regionOf({ cursor: { hotX, hotY, width, height }, x, y }: DrawnCursor): Region {
  return { x: x - hotX, y: y - hotY, width, height };
}

/**
 * Converts plain pixels and a bit mask of the opaque ones (RFB 7.8.1) to pixels with alpha. Each
 * row of the mask starts with a new byte.
 */
export function withMask(size: Size, pixels: Buffer, mask: Buffer): Buffer {
  const result = Buffer.from(pixels);
  const maskRow = Math.ceil(size.width / 8);
  for (let y = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++) {
      const byte = mask[y * maskRow + (x >> 3)] ?? 0;
      const at = (y * size.width + x) * PIXEL;
      if (byte & (0x80 >> (x & 7))) result[at + 3] = 255;
      else result.fill(0, at, at + PIXEL);
    }
  }
  return result;
}

/**
 * Draws the pointer into `picture`, the pixels of `region` of a screen, with its hot spot at
 * `x`, `y` of that screen. Clips it to the region.
 */
export function drawCursor(
  picture: Buffer,
  region: Region,
  cursor: Cursor,
  x: number,
  y: number,
): void {
  const left = x - cursor.hotX - region.x;
  const top = y - cursor.hotY - region.y;
  for (let row = Math.max(0, -top); row < cursor.height && top + row < region.height; row++) {
    for (let column = Math.max(0, -left); column < cursor.width; column++) {
      if (left + column >= region.width) break;
      const from = (row * cursor.width + column) * PIXEL;
      const to = ((top + row) * region.width + left + column) * PIXEL;
      blend(picture, to, cursor.pixels, from);
    }
  }
}

function blend(picture: Buffer, to: number, pixels: Buffer, from: number): void {
  const hidden = 255 - (pixels[from + 3] ?? 0);
  for (let channel = 0; channel < 3; channel++) {
    const below = ((picture[to + channel] ?? 0) * hidden) / 255;
    picture[to + channel] = Math.min(255, Math.round((pixels[from + channel] ?? 0) + below));
  }
}
