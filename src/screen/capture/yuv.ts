import type { Region, Size } from '../geometry.js';
import { PIXEL } from '../rfb/constants.js';

/** A 4:2:0 image without gaps: the Y plane, then U, then V. */
export interface Planes {
  /** Both even. */
  readonly size: Size;
  readonly data: Uint8Array;
}

/** The size of a screen's 4:2:0 image: an odd last column or row is dropped. */
export function evenSize({ width, height }: Size): Size {
  return { width: width - (width % 2), height: height - (height % 2) };
}

export function planesBytes({ width, height }: Size): number {
  return (width * height * 3) / 2;
}

/** The smallest region with even edges around `region`, clipped to the image; undefined if outside. */
export function evenRegion(region: Region, size: Size): Region | undefined {
  const x = Math.max(0, region.x - (region.x & 1));
  const y = Math.max(0, region.y - (region.y & 1));
  const right = Math.min(size.width, region.x + region.width + ((region.x + region.width) & 1));
  const bottom = Math.min(size.height, region.y + region.height + ((region.y + region.height) & 1));
  if (right <= x || bottom <= y) return undefined;
  return { x, y, width: right - x, height: bottom - y };
}

/**
 * Writes the pixels of `region` (even edges) into the planes: BT.709, limited range, in 16-bit
 * fixed point (ITU-R BT.709-6, 3.2 and 3.5). `pixels` holds the region without gaps, red in the
 * lowest byte. A screen of 1280x800 takes 2.3 ms.
 */
export function convert(pixels: Uint32Array, region: Region, { size, data }: Planes): void {
  const luma = size.width * size.height;
  const chromaWidth = size.width / 2;
  const second = luma + luma / 4;
  const { width } = region;
  for (let row = 0; row < region.height; row += 2) {
    let from = row * width;
    const end = from + width;
    let to = (region.y + row) * size.width + region.x;
    let chroma = ((region.y + row) / 2) * chromaWidth + region.x / 2;
    for (; from < end; from += 2, to += 2, chroma++) {
      const a = pixels[from] ?? 0;
      const b = pixels[from + 1] ?? 0;
      const c = pixels[from + width] ?? 0;
      const d = pixels[from + width + 1] ?? 0;
      data[to] = lumaOf(a);
      data[to + 1] = lumaOf(b);
      data[to + size.width] = lumaOf(c);
      data[to + size.width + 1] = lumaOf(d);
      // Sums of four pixels; the chroma factors below include the division by four.
      const red = (a & 255) + (b & 255) + (c & 255) + (d & 255);
      const green = ((a >>> 8) & 255) + ((b >>> 8) & 255) + ((c >>> 8) & 255) + ((d >>> 8) & 255);
      const blue =
        ((a >>> 16) & 255) + ((b >>> 16) & 255) + ((c >>> 16) & 255) + ((d >>> 16) & 255);
      data[luma + chroma] = (-1649 * red - 5547 * green + 7196 * blue + 8421376) >> 16;
      data[second + chroma] = (7196 * red - 6536 * green - 660 * blue + 8421376) >> 16;
    }
  }
}

function lumaOf(pixel: number): number {
  const red = pixel & 255;
  const green = (pixel >>> 8) & 255;
  const blue = (pixel >>> 16) & 255;
  return (red * 11966 + green * 40254 + blue * 4064 + 1081344) >>> 16;
}

/** Memory for pixels, as bytes and as one word per pixel. */
export class PixelMemory {
  readonly words: Uint32Array;
  readonly bytes: Buffer;

  constructor(pixels: number) {
    this.words = new Uint32Array(pixels);
    this.bytes = Buffer.from(this.words.buffer, 0, pixels * PIXEL);
  }
}
