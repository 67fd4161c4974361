import { intersects, type Region, type Size, union } from '../geometry.js';

/** Most separate regions; further ones are merged. Each costs a rectangle. */
const MOST = 16;
/** Overlapping regions are merged when the result is at most this factor larger than their sum. */
const WASTE = 1.3;

/** Changed parts of a screen, as few regions; bounded in memory. */
export class Damage {
  #regions: Region[];
  readonly #spare: number;

  /**
   * `regions`: some that were joined before. `spare`: unchanged pixels that may be added to have a region
   * less.
   */
  constructor(regions: readonly Region[] = [], spare = 0) {
    this.#regions = [...regions];
    this.#spare = spare;
  }

  get isEmpty(): boolean {
    return this.#regions.length === 0;
  }

  add(region: Region): void {
    if (region.width <= 0 || region.height <= 0) return;
    let joined = region;
    // The merged region may touch another one, so start over after each merge.
    for (let index = this.#regions.length - 1; index >= 0; index--) {
      const other = this.#regions[index];
      if (other === undefined || !this.#belongTogether(joined, other)) continue;
      joined = union(joined, other);
      this.#regions.splice(index, 1);
      index = this.#regions.length;
    }
    this.#regions.push(joined);
    if (this.#regions.length > MOST) this.#joinNearest();
  }

  /** Removes and returns all regions, clipped to a screen of `size`. */
  take(size: Size): Region[] {
    return this.takeAll().flatMap((region) => cut(region, size) ?? []);
  }

  /** The same without clipping them. */
  takeAll(): Region[] {
    return this.#regions.splice(0);
  }

  clear(): void {
    this.#regions = [];
  }

  #belongTogether(a: Region, b: Region): boolean {
    const most = (area(a) + area(b)) * (intersects(a, b) ? WASTE : 1) + this.#spare;
    return area(union(a, b)) <= most;
  }

  #joinNearest(): void {
    let best = { cost: Number.POSITIVE_INFINITY, a: 0, b: 1 };
    for (const [a, first] of this.#regions.entries()) {
      for (let b = a + 1; b < this.#regions.length; b++) {
        const second = this.#regions[b] ?? first;
        const cost = area(union(first, second)) - area(first) - area(second);
        if (cost < best.cost) best = { cost, a, b };
      }
    }
    const [second] = this.#regions.splice(best.b, 1);
    const [first] = this.#regions.splice(best.a, 1);
    if (first !== undefined && second !== undefined) this.#regions.push(union(first, second));
  }
}

/** The regions of both in few regions. */
export function join(damage: readonly Region[], more: readonly Region[]): readonly Region[] {
  if (damage.length === 0) return more;
  const joined = new Damage(damage);
  for (const region of more) joined.add(region);
  return joined.takeAll();
}

export function area(region: Size): number {
  return region.width * region.height;
}

/** The part of a region that lies on a screen of `size`. */
function cut(region: Region, size: Size): Region | undefined {
  const x = Math.max(0, region.x);
  const y = Math.max(0, region.y);
  const width = Math.min(size.width, region.x + region.width) - x;
  const height = Math.min(size.height, region.y + region.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}
