import type { StatsHistory, StatsSample } from '../../contract/resources.js';
import { type Engine, isMeasuring, type Measuring } from '../../engines/engine.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { withDeadline } from '../../lib/async/deadline.js';
import { machineSize } from '../lifecycle/machine-size.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { type Load, measureLoad } from './resource-usage.js';

/** How long samples are kept, and the most of a computer: one each 30 seconds. */
const KEPT_MS = 60 * 60_000;
const MOST = 120;
/** Computers of an engine that are measured at the same time. */
const AT_ONCE = 4;
/** Time for the load of a computer, and for its disk, in milliseconds. */
const LOAD_MS = 5_000;
const DISK_MS = 10_000;
/** Time in which disks are measured in each round: 1 % of 30 seconds. */
const DISKS_MS = 300;

interface Kept {
  load?: Load;
  readonly samples: StatsSample[];
  diskBytes: number | null;
  /** When the disk was measured last, or the computer first, in milliseconds of the monotonic clock. */
  diskAt: number;
}

/** When a computer was used last, in milliseconds of the monotonic clock. */
type LastUsed = (id: string) => number | undefined;

/**
 * The last hour of what computers use, in memory. An engine's computers are measured whenever the
 * reconciler has compared them, every 30 seconds. One that cannot be measured has no sample.
 */
export class UsageHistory {
  readonly #store: Store;
  readonly #lastUsed: LastUsed;
  readonly #kept = new Map<string, Kept>();
  readonly #measuring = new Set<Engine>();
  /** By how much the disks of an engine took longer than they may, in milliseconds. */
  readonly #overruns = new WeakMap<Engine, number>();

  constructor(store: Store, lastUsed: LastUsed) {
    this.#store = store;
    this.#lastUsed = lastUsed;
  }

  /** The samples of the last hour, or those from `since` on. */
  of(record: ComputerRecord, since = 0): StatsHistory {
    const { samples = [], diskBytes = null } = this.#kept.get(record.id) ?? {};
    const oldest = new Date(Math.max(since, Date.now() - KEPT_MS)).toISOString();
    const { cpu, ram } = machineSize(record);
    const lastUsed = this.#lastUsed(record.id);
    const unusedMs = lastUsed === undefined ? undefined : performance.now() - lastUsed;
    return {
      id: record.id,
      cpu,
      memory_total_bytes: ram * 2 ** 30,
      disk_used_bytes: diskBytes,
      used_at: unusedMs === undefined ? null : new Date(Date.now() - unusedMs).toISOString(),
      samples: samples.filter(({ at }) => at >= oldest),
    };
  }

  /** Forgets a computer that was deleted. */
  computerRemoved(id: string): void {
    this.#kept.delete(id);
  }

  /** Measures the running computers of an engine, unless that is still being done. */
  async measure(engine: Engine, signal: AbortSignal): Promise<void> {
    if (!isMeasuring(engine) || this.#measuring.has(engine)) return;
    this.#measuring.add(engine);
    try {
      const running = this.#store.computers
        .listAll()
        .filter((record) => record.status === 'running' && record.engine === engine.name)
        .map(({ id }) => [id, this.#keptOf(id)] as const);
      const limit = new ConcurrencyLimit(AT_ONCE);
      const loads = running.map(([id, kept]) =>
        limit.run(() => measureOne(engine, id, kept, signal).catch(() => undefined)),
      );
      await Promise.all(loads);
      await this.#measureDisks(engine, running, signal);
    } finally {
      this.#measuring.delete(engine);
    }
  }

  #keptOf(id: string): Kept {
    const kept = this.#kept.get(id) ?? { samples: [], diskBytes: null, diskAt: performance.now() };
    this.#kept.set(id, kept);
    return kept;
  }

  /** Measures disks, the one longest ago first, in 1 % of the time: Podman takes a second for one. */
  async #measureDisks(
    engine: Measuring & Engine,
    running: readonly (readonly [string, Kept])[],
    signal: AbortSignal,
  ): Promise<void> {
    let over = (this.#overruns.get(engine) ?? 0) - DISKS_MS;
    for (const [id, kept] of [...running].sort(([, a], [, b]) => a.diskAt - b.diskAt)) {
      if (over >= 0 || signal.aborted) break;
      kept.diskAt = performance.now();
      const measured = inTime(DISK_MS, signal, (inner) => engine.diskUsage(id, inner));
      const used = await measured.catch(() => undefined);
      kept.diskBytes = used?.diskBytes ?? kept.diskBytes;
      over += performance.now() - kept.diskAt;
    }
    this.#overruns.set(engine, Math.max(0, over));
  }
}

async function measureOne(
  engine: Measuring,
  id: string,
  kept: Kept,
  signal: AbortSignal,
): Promise<void> {
  kept.load = await inTime(LOAD_MS, signal, (inner) => measureLoad(engine, id, kept.load, inner));
  const { cpuPercent, memoryBytes } = kept.load;
  const at = new Date().toISOString();
  kept.samples.push({ at, cpu_percent: cpuPercent, memory_used_bytes: Math.round(memoryBytes) });
  if (kept.samples.length > MOST) kept.samples.shift();
}

function inTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDeadline({ ms, signal, onTimeout: () => new Error('not measured in time') }, work);
}
