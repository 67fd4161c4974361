import type { StatsHistory, StatsSample } from '../../api/types.js';

/** How long the service keeps measurements, in milliseconds. */
const KEPT_MS = 60 * 60_000;
/** Milliseconds between two measurements of a computer. */
export const EVERY_MS = 30_000;

/** The time of the newest measurement, by the clock of the service. */
export function newestOf(all: readonly StatsHistory[]): string | undefined {
  return all
    .map(({ samples }) => samples.at(-1)?.at ?? '')
    .sort()
    .at(-1);
}

/** Measurements with the newer ones, of the last hour. */
export function followed(
  known: readonly StatsHistory[],
  newer: readonly StatsHistory[],
): StatsHistory[] {
  const oldest = new Date(
    Date.parse(newestOf([...known, ...newer]) ?? '') - KEPT_MS || 0,
  ).toISOString();
  const all = new Map(known.map((history) => [history.id, history]));
  for (const history of newer) {
    const before = all.get(history.id)?.samples ?? [];
    const last = before.at(-1)?.at ?? '';
    const samples = [...before, ...history.samples.filter(({ at }) => at > last)];
    all.set(history.id, { ...history, samples });
  }
  return [...all.values()]
    .map((history) => ({ ...history, samples: history.samples.filter(({ at }) => at >= oldest) }))
    .filter(({ samples }) => samples.length > 0);
}

/** What computers use together, by their newest measurements. */
export function totals(all: Iterable<StatsHistory>) {
  const sum = { measured: 0, cores: 0, cpu: 0, memory: 0, ram: 0, disks: 0, disk: 0 };
  for (const { samples, cpu, memory_total_bytes, disk_used_bytes } of all) {
    const last = samples.at(-1);
    if (last === undefined) continue;
    sum.measured += 1;
    sum.cores += last.cpu_percent / 100;
    sum.cpu += cpu;
    sum.memory += last.memory_used_bytes;
    sum.ram += memory_total_bytes;
    sum.disks += disk_used_bytes === null ? 0 : 1;
    sum.disk += disk_used_bytes ?? 0;
  }
  return sum;
}

/** More than this between two measurements is a gap in the graph. */
const GAP_MS = 3 * EVERY_MS;

/**
 * Lines through values of the last hour on a field of 100 by 20, with a gap where nothing was
 * measured. `most` is at the top.
 */
export function lines(
  all: readonly StatsSample[],
  value: (sample: StatsSample) => number,
  most: number,
  now: number,
): string[] {
  const found: string[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const sample of all) {
    const at = Date.parse(sample.at);
    if (at - last > GAP_MS) found.push([]);
    const x = 100 - ((now - at) / KEPT_MS) * 100;
    const y = 20 - Math.min(1, value(sample) / most) * 19;
    found.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
    last = at;
  }
  // A line of one point is not drawn.
  return found.map((points) => [...points, ...(points.length === 1 ? points : [])].join(' '));
}

/** Milliseconds without use after which a computer is idle. */
export const IDLE_MS = 10 * 60_000;

export function isIdle({ used_at }: Pick<StatsHistory, 'used_at'>, now: number): boolean {
  return used_at !== null && now - Date.parse(used_at) >= IDLE_MS;
}
