import { protocolError } from './errors.js';
import { MAX_HEIGHT, MAX_PIXELS, MAX_WIDTH, PIXEL } from './rfb/constants.js';
import type { Region, Size } from './types.js';

/**
 * The guest's screen in memory: rows of four bytes a pixel (red, green, blue, unused), without
 * gaps. `version` grows whenever a pixel really changes; being sent the same again is no change.
 */
export class Framebuffer {
  #data: Buffer;
  #size: Size;
  #version = 0;

  constructor(size: Size) {
    this.#size = checked(size);
    this.#data = Buffer.alloc(size.width * size.height * PIXEL);
  }

  get size(): Size {
    return this.#size;
  }

  get version(): number {
    return this.#version;
  }

  get bounds(): Region {
    return { x: 0, y: 0, ...this.#size };
  }

  /** A new, black screen. */
  resize(size: Size): void {
    this.#size = checked(size);
    this.#data = Buffer.alloc(size.width * size.height * PIXEL);
    this.#version += 1;
  }

  /**
   * Writes part of a region's pixels, which come row by row: those from byte `offset` of the
   * region on. Gives the rows of the region, relative to it, of which pixels changed.
   */
  write(region: Region, offset: number, pixels: Buffer): Rows | undefined {
    const rowBytes = region.width * PIXEL;
    let changed: Rows | undefined;
    for (let read = 0; read < pixels.length; ) {
      const row = Math.floor((offset + read) / rowBytes);
      const column = (offset + read) % rowBytes;
      const length = Math.min(rowBytes - column, pixels.length - read);
      const at = this.#offset(region.x, region.y + row) + column;
      if (pixels.compare(this.#data, at, at + length, read, read + length) !== 0) {
        pixels.copy(this.#data, at, read, read + length);
        changed = { first: changed?.first ?? row, last: row };
      }
      read += length;
    }
    if (changed !== undefined) this.#version += 1;
    return changed;
  }

  /** Copies a region of this screen's size from `x`, `y` to the target region; they may overlap. */
  copy(x: number, y: number, to: Region): void {
    const upwards = to.y > y;
    for (let index = 0; index < to.height; index++) {
      const row = upwards ? to.height - 1 - index : index;
      const from = this.#offset(x, y + row);
      this.#data.copy(this.#data, this.#offset(to.x, to.y + row), from, from + to.width * PIXEL);
    }
    this.#version += 1;
  }

  /** The pixels of a region that lies inside, copied into `target` without gaps. */
  read(region: Region, target: Buffer): void {
    if (region.width === this.#size.width) {
      const start = this.#offset(0, region.y);
      this.#data.copy(target, 0, start, start + region.width * region.height * PIXEL);
      return;
    }
    for (let row = 0; row < region.height; row++) {
      const start = this.#offset(region.x, region.y + row);
      this.#data.copy(target, row * region.width * PIXEL, start, start + region.width * PIXEL);
    }
  }

  #offset(x: number, y: number): number {
    return (y * this.#size.width + x) * PIXEL;
  }
}

/** First and last row of a range. */
export interface Rows {
  readonly first: number;
  readonly last: number;
}

export function contains(outer: Size, region: Region): boolean {
  return (
    region.x >= 0 &&
    region.y >= 0 &&
    region.width >= 1 &&
    region.height >= 1 &&
    region.x + region.width <= outer.width &&
    region.y + region.height <= outer.height
  );
}

export function intersects(a: Region, b: Region): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function checked(size: Size): Size {
  const { width, height } = size;
  const fits =
    width >= 1 &&
    height >= 1 &&
    width <= MAX_WIDTH &&
    height <= MAX_HEIGHT &&
    width * height <= MAX_PIXELS;
  if (!fits) throw protocolError(`announced a screen of ${width}x${height}`);
  return size;
}
