import { ApiError } from '../../contract/errors.js';
import type { ComputerStats } from '../../contract/resources.js';
import {
  type DiskUsage,
  type Engine,
  isMeasuring,
  type MachineUsage,
  type Measuring,
} from '../../engines/engine.js';
import { abortable } from '../../lib/async/abort.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Machine } from '../lifecycle/machine.js';
import { machineSize } from '../lifecycle/machine-size.js';
import type { Machines } from '../lifecycle/machines.js';
import type { ComputerRecord } from '../store/records.js';

/** Time over which the load of the processor is measured if there is no earlier sample. */
const INTERVAL_MS = 500;
/** An older sample says nothing about the present. */
const FRESH_MS = 60_000;

/** The use of processor and memory at a moment. */
interface Sample extends MachineUsage {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

export interface Load extends Sample {
  /** Percent of one core since the sample before. */
  readonly cpuPercent: number;
}

/** What running computers use of the host. */
export class ResourceUsage {
  readonly #machines: Machines;
  readonly #samples = new WeakMap<Machine, Sample>();
  /** Measurements of disks in progress. */
  readonly #disks = new WeakMap<Machine, Promise<DiskUsage>>();

  constructor(machines: Machines) {
    this.#machines = machines;
  }

  /**
   * Does not count as use of the computer. The load of the processor is that since the last call for
   * this computer, or over half a second.
   */
  async of(record: ComputerRecord, signal?: AbortSignal): Promise<ComputerStats> {
    const { id, name, status } = record;
    const { cpu, ram } = machineSize(record);
    if (status !== 'running') {
      const message = `The computer ${JSON.stringify(name)} is ${status}; only a running one can be measured.`;
      throw new ApiError('not_running', message);
    }
    const machine = this.#machines.of(record);
    const engine = measuring(this.#machines.engine(record.engine));
    const [load, disk] = await Promise.all([
      measureLoad(engine, id, this.#samples.get(machine), signal),
      this.#disk(machine, () => engine.diskUsage(id), signal),
    ]);
    this.#samples.set(machine, load);
    return {
      at: new Date().toISOString(),
      cpu_percent: load.cpuPercent,
      cpu_seconds: round(load.cpuSeconds, 2),
      cpu,
      memory_used_bytes: Math.round(load.memoryBytes),
      memory_total_bytes: ram * 2 ** 30,
      disk_used_bytes: Math.round(disk.diskBytes),
      disk_total_bytes: disk.diskTotalBytes ?? null,
    };
  }

  /**
   * Calls at the same time share one measurement: an engine may have to read the whole directory tree of
   * the computer.
   */
  #disk(
    machine: Machine,
    measure: () => Promise<DiskUsage>,
    signal: AbortSignal | undefined,
  ): Promise<DiskUsage> {
    let measuring = this.#disks.get(machine);
    if (measuring === undefined) {
      measuring = measure().finally(() => this.#disks.delete(machine));
      this.#disks.set(machine, measuring);
    }
    return abortable(measuring, signal);
  }
}

/**
 * Measures the load since `last`, or over half a second if that is too old. Takes at least half a second
 * since `last`.
 */
export async function measureLoad(
  engine: Measuring,
  id: string,
  last: Sample | undefined,
  signal?: AbortSignal,
): Promise<Load> {
  const sample = async () => ({ ...(await engine.usage(id, signal)), at: performance.now() });
  const isFresh = last !== undefined && performance.now() - last.at < FRESH_MS;
  const earlier = isFresh ? last : await sample();
  const age = performance.now() - earlier.at;
  if (age < INTERVAL_MS) await sleep(INTERVAL_MS - age, signal);
  const now = await sample();
  return { ...now, cpuPercent: percent(earlier, now) };
}

function measuring(engine: Engine): Measuring {
  if (isMeasuring(engine)) return engine;
  const message = `The engine "${engine.name}" does not measure its computers.`;
  throw new ApiError('unsupported', message);
}

/** Percent of one core; 0 for a machine that was started again in between. */
function percent(from: Sample, to: Sample): number {
  const load = (100_000 * (to.cpuSeconds - from.cpuSeconds)) / (to.at - from.at);
  return round(Math.max(0, load), 1);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
