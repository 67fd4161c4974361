import sharp from 'sharp';
import { ApiError } from '../../contract/errors.js';
import type { Size } from '../geometry.js';
import { PIXEL } from '../rfb/constants.js';
import type { Picture, PictureOptions } from '../types.js';

// Every frame is new, so a cache of past images only wastes memory.
sharp.cache(false);

/**
 * Scale up to which a picture is halved before sharp scales the rest: a quarter of the work for the
 * pictures of a list. Larger ones keep sharp's sharper edges, because text in them is read.
 */
const SMALL_SCALE = 1 / 3;

/**
 * Encodes pixels (red, green, blue, unused; without gaps) as an image. A plain desktop of
 * 1280x800 takes 3 to 5 ms as PNG: level 1 without adaptive filters is four times as fast as with
 * them, and 16 times as fast as sharp's `effort`, for files up to twice the size.
 *
 * The call may change `pixels`; do not use them until it resolves.
 */
export async function encode(
  pixels: Buffer,
  size: Size,
  options: PictureOptions,
): Promise<Picture> {
  const { format, quality, scale } = options;
  const result = {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
  const from = scale > SMALL_SCALE ? size : halved(pixels, size, result);
  const data = pixels.subarray(0, from.width * from.height * PIXEL);
  let image = sharp(data, { raw: { ...from, channels: PIXEL } }).removeAlpha();
  if (from.width !== result.width || from.height !== result.height) {
    // sharp premultiplies by alpha before it scales: the unused byte must mean opaque.
    makeOpaque(data, from);
    image = image.resize({ ...result, fit: 'fill' });
  }
  if (format === 'png') image = image.png({ compressionLevel: 1, adaptiveFiltering: false });
  else if (format === 'jpeg') image = image.jpeg({ quality, optimiseCoding: false });
  else image = image.webp({ quality, effort: 0 });
  try {
    return { data: await image.toBuffer(), format, ...result };
  } catch (cause) {
    throw new ApiError('internal', `The screenshot could not be encoded as ${format}.`, { cause });
  }
}

/** Halves a picture in its buffer as often as it stays at least as large as `least`; answers its size. */
function halved(pixels: Buffer, size: Size, least: Size): Size {
  if (pixels.byteOffset % PIXEL !== 0) return size;
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, size.width * size.height);
  let { width, height } = size;
  while (width >= 2 * least.width && height >= 2 * least.height) {
    halve(words, width, height);
    width >>= 1;
    height >>= 1;
  }
  return { width, height };
}

/** Writes the average of each four pixels, rounded down twice. An odd last row or column is left out. */
function halve(words: Uint32Array, width: number, height: number): void {
  let to = 0;
  for (let y = 0; y + 1 < height; y += 2) {
    let at = y * width;
    for (let x = 0; x + 1 < width; x += 2, at += 2) {
      const above = average(words[at] ?? 0, words[at + 1] ?? 0);
      const below = average(words[at + width] ?? 0, words[at + width + 1] ?? 0);
      words[to++] = average(above, below);
    }
  }
}

/** Of four bytes each, at once. */
function average(a: number, b: number): number {
  return (a & b) + (((a ^ b) & 0xfefefefe) >>> 1);
}

function makeOpaque(pixels: Buffer, size: Size): void {
  const end = size.width * size.height * PIXEL;
  for (let alpha = PIXEL - 1; alpha < end; alpha += PIXEL) pixels[alpha] = 255;
}
