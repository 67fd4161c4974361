/** A point in pixels, origin top left. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels, origin top left. */
export interface Region extends Size {
  readonly x: number;
  readonly y: number;
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

/** The smallest region that holds both. */
export function union(a: Region, b: Region): Region {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  const width = Math.max(a.x + a.width, b.x + b.width) - x;
  const height = Math.max(a.y + a.height, b.y + b.height) - y;
  return { x, y, width, height };
}
