import { signal } from '@preact/signals';
import { atOnce } from '../../api/at-once.js';
import { call } from '../../api/http.js';
import type { AuditEntry, ComputerStats } from '../../api/types.js';

/** How long measurements are kept and shown, in milliseconds. */
export const KEPT_MS = 60 * 60_000;
/** Milliseconds between two measurements: an engine may have to read the whole disk for one. */
export const EVERY_MS = 30_000;
/** Computers that are measured at the same time. */
const AT_ONCE = 4;

export type Measured = readonly ComputerStats[];

/**
 * What each computer used, the newest last: measured by this page while it shows the overview, since
 * the service keeps no history.
 */
export const measured = signal<ReadonlyMap<string, Measured>>(new Map());

/**
 * Measures the computers, and forgets all others. One that cannot be measured has no new value.
 * Answers when it was done.
 */
export async function measure(ids: readonly string[], left: AbortSignal): Promise<number> {
  measured.value = new Map(ids.map((id) => [id, measured.value.get(id) ?? []]));
  await atOnce(ids, AT_ONCE, async (id) => {
    if (left.aborted) return;
    const path = `/computers/${id}/stats`;
    const stats = await call<ComputerStats>('GET', path, { signal: left }).catch(() => undefined);
    if (stats !== undefined && !left.aborted) note(id, stats);
  });
  return Date.now();
}

function note(id: string, stats: ComputerStats): void {
  const oldest = Date.parse(stats.at) - KEPT_MS;
  const kept = (measured.value.get(id) ?? []).filter(({ at }) => Date.parse(at) >= oldest);
  measured.value = new Map(measured.value).set(id, [...kept, stats]);
}

/** What all computers use together, by their newest measurements. */
export function totals(all: Iterable<Measured>) {
  const sum = { measured: 0, cores: 0, cpu: 0, memory: 0, ram: 0, disk: 0 };
  for (const last of [...all].flatMap((each) => each.at(-1) ?? [])) {
    sum.measured += 1;
    sum.cores += last.cpu_percent / 100;
    sum.cpu += last.cpu;
    sum.memory += last.memory_used_bytes;
    sum.ram += last.memory_total_bytes;
    sum.disk += last.disk_used_bytes;
  }
  return sum;
}

/** More than this between two measurements is a gap in the graph. */
const GAP_MS = 3 * EVERY_MS;

/**
 * Lines through values of the last hour on a field of 100 by 20, with a gap where the page did not
 * measure. `most` is at the top.
 */
export function lines(
  all: Measured,
  value: (stats: ComputerStats) => number,
  most: number,
  now: number,
): string[] {
  const found: string[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const stats of all) {
    const at = Date.parse(stats.at);
    if (at - last > GAP_MS) found.push([]);
    const x = 100 - ((now - at) / KEPT_MS) * 100;
    const y = 20 - Math.min(1, value(stats) / most) * 19;
    found.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
    last = at;
  }
  // A line of one point is not drawn.
  return found.map((points) => [...points, ...(points.length === 1 ? points : [])].join(' '));
}

/** Milliseconds without an action after which a computer is idle. */
const IDLE_MS = 10 * 60_000;

/** Computers without an action for a while, and how long that is if the entries reach less far. */
export function idleOf(
  ids: readonly string[],
  entries: readonly AuditEntry[],
  isAll: boolean,
  now: number,
): { ids: string[]; ms: number } {
  const oldest = Date.parse(entries.at(-1)?.at ?? '');
  const ms = isAll || Number.isNaN(oldest) ? IDLE_MS : Math.min(IDLE_MS, now - oldest);
  const used = new Set(
    entries.filter(({ at }) => now - Date.parse(at) < ms).map(({ computer_id }) => computer_id),
  );
  return { ids: ids.filter((id) => !used.has(id)), ms };
}
