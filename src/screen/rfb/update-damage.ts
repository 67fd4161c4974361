import type { Region } from '../geometry.js';
import { Damage } from '../model/damage.js';

/** Changed regions of an update that are kept as they are; more of them are joined with near ones. */
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
  damage: Region[] = [];

  addPixels(region: Region): void {
    this.pixels += region.width * region.height;
    this.origin ||= region.x === 0 && region.y === 0;
  }

  addDamage(region: Region): void {
    this.damage.push(region);
    if (this.damage.length <= MAX_DAMAGE) return;
    const few = new Damage();
    for (const part of this.damage) few.add(part);
    this.damage = few.takeAll();
  }

  /** Discards what came before a resize. */
  restart(): void {
    this.pixels = 0;
    this.origin = false;
    this.damage = [];
  }
}
