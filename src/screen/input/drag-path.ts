import type { Point } from '../geometry.js';

/** At least `steps` + 1 evenly spaced points along the line through `points`, including these. */
export function interpolate(points: readonly Point[], steps: number): Point[] {
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? point, point));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const path = points.slice(0, 1);
  for (const [index, to] of points.slice(1).entries()) {
    const from = points[index] ?? to;
    const share = total === 0 ? 1 / lengths.length : (lengths[index] ?? 0) / total;
    const parts = Math.max(1, Math.round(steps * share));
    for (let part = 1; part <= parts; part++) {
      const done = part / parts;
      path.push({
        x: Math.round(from.x + (to.x - from.x) * done),
        y: Math.round(from.y + (to.y - from.y) * done),
      });
    }
  }
  return path;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
