import { type Region, union } from '../geometry.js';

/** Most changed regions kept per update; further ones are merged into one. */
const MAX_DAMAGE = 64;

/** Summary of one update. */
export interface UpdateDamage {
  /** Number of pixels sent, changed or not. */
  readonly pixels: number;
  /** The pixel at the origin was among them. */
  readonly origin: boolean;
  readonly damage: readonly Region[];
}

/** Collects the summary of an update while its rectangles arrive. */
export class UpdateDamageBuilder implements UpdateDamage {
  pixels = 0;
  origin = false;
  readonly damage: Region[] = [];

  addPixels(region: Region): void {
    this.pixels += region.width * region.height;
    this.origin ||= region.x === 0 && region.y === 0;
  }

  addDamage(region: Region): void {
    if (this.damage.length < MAX_DAMAGE) this.damage.push(region);
    else this.damage[0] = union(this.damage[0] ?? region, region);
  }

  /** Discards what came before a resize. */
  restart(): void {
    this.pixels = 0;
    this.origin = false;
    this.damage.length = 0;
  }
}
