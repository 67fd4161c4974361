import type { Region } from '../types.js';

/** Changed regions of one update that are kept apart; more are joined into one. */
const MAX_DAMAGE = 64;

/** What came with one update. */
export interface UpdateSummary {
  /** Number of pixels sent, changed or not. */
  readonly pixels: number;
  /** The pixel at the origin was among them. */
  readonly origin: boolean;
  readonly damage: readonly Region[];
}

/** Gathers the summary of an update while its rectangles come. */
export class SummaryBuilder implements UpdateSummary {
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

  /** The screen has a new size: what came before counts no more. */
  restart(): void {
    this.pixels = 0;
    this.origin = false;
    this.damage.length = 0;
  }
}

function union(a: Region, b: Region): Region {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  const width = Math.max(a.x + a.width, b.x + b.width) - x;
  const height = Math.max(a.y + a.height, b.y + b.height) - y;
  return { x, y, width, height };
}
