import { protocolError } from '../errors.js';
import { contains, type Region, type Size } from '../geometry.js';
import { MAX_HEIGHT, MAX_PIXELS, MAX_WIDTH, PIXEL } from '../rfb/constants.js';

/** Rows of a band, the unit in which changes are remembered; the last band may have fewer. */
export const BAND_ROWS = 32;

/**
 * The guest's screen in memory: four bytes per pixel (red, green, blue, unused), rows without
 * gaps. `version` grows whenever a pixel changes its value.
 */
export class Framebuffer {
  #data: Buffer;
  #size: Size;
  #version = 0;
  /** The version in which each band has changed last. */
  #bands: Float64Array;

  constructor(size: Size) {
    this.#size = checked(size);
    this.#data = Buffer.alloc(size.width * size.height * PIXEL);
    this.#bands = new Float64Array(bandCount(size));
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

  /** The version in which a band that the region touches has changed last. */
  versionOf(region: Region): number {
    const first = Math.floor(region.y / BAND_ROWS);
    const end = Math.ceil((region.y + region.height) / BAND_ROWS);
    return this.#bands.subarray(first, end).reduce((a, b) => Math.max(a, b), 0);
  }

  /** The bands that have changed since a version, those beside each other as one region. */
  changedSince(version: number): readonly Region[] {
    const { width, height } = this.#size;
    const regions: Region[] = [];
    for (const [band, changed] of this.#bands.entries()) {
      if (changed <= version) continue;
      const last = regions.at(-1);
      const start = band * BAND_ROWS;
      const y = last && last.y + last.height === start ? last.y : start;
      if (y !== start) regions.pop();
      regions.push({ x: 0, y, width, height: Math.min(height, start + BAND_ROWS) - y });
    }
    return regions;
  }

  /** Replaces the contents with a black screen. */
  resize(size: Size): void {
    this.#size = checked(size);
    this.#data = Buffer.alloc(size.width * size.height * PIXEL);
    this.#version += 1;
    this.#bands = new Float64Array(bandCount(size)).fill(this.#version);
  }

  /**
   * Writes part of a region's pixels, row by row, starting at byte `offset` of the region.
   * Returns the changed rows, relative to the region.
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
        this.#bands[Math.floor((region.y + row) / BAND_ROWS)] = this.#version + 1;
      }
      read += length;
    }
    if (changed !== undefined) this.#version += 1;
    return changed;
  }

  /** Copies the region at `x`, `y` to the target region of the same size; they may overlap. */
  copy(x: number, y: number, to: Region): void {
    const upwards = to.y > y;
    for (let index = 0; index < to.height; index++) {
      const row = upwards ? to.height - 1 - index : index;
      const from = this.#offset(x, y + row);
      this.#data.copy(this.#data, this.#offset(to.x, to.y + row), from, from + to.width * PIXEL);
    }
    this.#version += 1;
    const end = Math.ceil((to.y + to.height) / BAND_ROWS);
    this.#bands.fill(this.#version, Math.floor(to.y / BAND_ROWS), end);
  }

  /** Copies the pixels of a region inside the screen into `target` without gaps. */
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

  /** A copy of the pixels of a region; undefined for a region outside. */
  copyOf(
    region: Region,
    bufferOf: (bytes: number) => Buffer = Buffer.allocUnsafe,
  ): Buffer | undefined {
    if (!contains(this.#size, region)) return undefined;
    const copy = bufferOf(region.width * region.height * PIXEL);
    this.read(region, copy);
    return copy;
  }

  #offset(x: number, y: number): number {
    return (y * this.#size.width + x) * PIXEL;
  }
}

function bandCount({ height }: Size): number {
  return Math.ceil(height / BAND_ROWS);
}

/** First and last row of a range. */
export interface Rows {
  readonly first: number;
  readonly last: number;
}

function checked(size: Size): Size {
  const { width, height } = size;
  const fits =
    width >= 1 &&
    height >= 1 &&
    width <= MAX_WIDTH &&
    height <= MAX_HEIGHT &&
    width * height <= MAX_PIXELS;
  if (!fits) throw protocolError(`announced an invalid screen size of ${width}x${height}`);
  return size;
}
