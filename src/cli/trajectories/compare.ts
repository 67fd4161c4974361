import type { Point } from './points.js';

/** Pixels: red, green, blue, without gaps. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** How much two pictures differ, in percent. */
export interface Difference {
  /** Of the whole screen. */
  readonly screen: number;
  /** Of the surroundings of the points; 0 without any. */
  readonly near: number;
}

/** Edge of the squares that are compared, in pixels. */
const TILE = 16;
/** Steps of a color by which a pixel has to differ: less is a shadow or an edge of a letter. */
const COLOR = 32;
/** Pixels of a square that have to differ. */
const PIXELS = 12;
/** Pixels from a point to the edge of its surroundings. */
const REACH = 80;

/**
 * Compares two pictures of the same size in squares of 16 pixels. A clock or a caret is one or two
 * squares out of thousands.
 */
export function compare(one: Pixels, other: Pixels, points: readonly Point[]): Difference {
  const columns = Math.ceil(one.width / TILE);
  const rows = Math.ceil(one.height / TILE);
  let differing = 0;
  let near = 0;
  let nearDiffering = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const differs = tileDiffers(one, other, column * TILE, row * TILE);
      if (differs) differing += 1;
      if (!isNear(column * TILE, row * TILE, points)) continue;
      near += 1;
      if (differs) nearDiffering += 1;
    }
  }
  const percent = (part: number, whole: number) => (whole === 0 ? 0 : (100 * part) / whole);
  return { screen: percent(differing, columns * rows), near: percent(nearDiffering, near) };
}

/**
 * Whether a difference is within the tolerance, in percent of the screen. What is around the points of
 * an action matters most, but a highlighted button is a large part of it: ten times as much.
 */
export function isWithin({ screen, near }: Difference, tolerance: number): boolean {
  return screen <= tolerance && near <= 10 * tolerance;
}

function isNear(left: number, top: number, points: readonly Point[]): boolean {
  return points.some(
    ({ x, y }) =>
      left + TILE > x - REACH && left < x + REACH && top + TILE > y - REACH && top < y + REACH,
  );
}

function tileDiffers(one: Pixels, other: Pixels, left: number, top: number): boolean {
  const right = Math.min(left + TILE, one.width);
  const bottom = Math.min(top + TILE, one.height);
  let count = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = (y * one.width + left) * 3; at < (y * one.width + right) * 3; at += 3) {
      if (pixelDiffers(one.data, other.data, at) && ++count > PIXELS) return true;
    }
  }
  return false;
}

function pixelDiffers(one: Uint8Array, other: Uint8Array, at: number): boolean {
  for (let color = at; color < at + 3; color++) {
    if (Math.abs((one[color] ?? 0) - (other[color] ?? 0)) > COLOR) return true;
  }
  return false;
}
