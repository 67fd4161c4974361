import { ApiError } from '../../contract/errors.js';
import type { ComputerStats } from '../../contract/resources.js';
import {
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

/** Processor time at a moment. */
interface Sample {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly cpuSeconds: number;
}

/** What running computers use of the host. */
export class ResourceUsage {
  readonly #machines: Machines;
  readonly #samples = new WeakMap<Machine, Sample>();
  /** Measurements in progress. */
  readonly #measuring = new WeakMap<Machine, Promise<MachineUsage>>();

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
    const measure = () => this.#measure(machine, () => engine.usage(id), signal);
    const earlier = await this.#earlier(machine, measure, signal);
    const used = await measure();
    const sample = { at: performance.now(), cpuSeconds: used.cpuSeconds };
    this.#samples.set(machine, sample);
    return {
      at: new Date().toISOString(),
      cpu_percent: load(earlier, sample),
      cpu_seconds: round(used.cpuSeconds, 2),
      cpu,
      memory_used_bytes: Math.round(used.memoryBytes),
      memory_total_bytes: ram * 2 ** 30,
      disk_used_bytes: Math.round(used.diskBytes),
      disk_total_bytes: used.diskTotalBytes ?? null,
    };
  }

  /**
   * Calls at the same time share one measurement: to measure the disk, an engine may have to read the
   * whole directory tree of the computer.
   */
  #measure(
    machine: Machine,
    usage: () => Promise<MachineUsage>,
    signal: AbortSignal | undefined,
  ): Promise<MachineUsage> {
    let measuring = this.#measuring.get(machine);
    if (measuring === undefined) {
      measuring = usage().finally(() => this.#measuring.delete(machine));
      this.#measuring.set(machine, measuring);
    }
    return abortable(measuring, signal);
  }

  /** A sample of at least {@link INTERVAL_MS} ago; takes one and waits if there is none. */
  async #earlier(
    machine: Machine,
    measure: () => Promise<MachineUsage>,
    signal: AbortSignal | undefined,
  ): Promise<Sample> {
    const last = this.#samples.get(machine);
    const age = last === undefined ? Number.POSITIVE_INFINITY : performance.now() - last.at;
    if (last !== undefined && age < FRESH_MS) {
      if (age < INTERVAL_MS) await sleep(INTERVAL_MS - age, signal);
      return last;
    }
    const { cpuSeconds } = await measure();
    const sample = { at: performance.now(), cpuSeconds };
    await sleep(INTERVAL_MS, signal);
    return sample;
  }
}

function measuring(engine: Engine): Measuring {
  if (isMeasuring(engine)) return engine;
  const message = `The engine "${engine.name}" does not measure its computers.`;
  throw new ApiError('unsupported', message);
}

/** Percent of one core; 0 for a machine that was started again in between. */
function load(from: Sample, to: Sample): number {
  const percent = (100_000 * (to.cpuSeconds - from.cpuSeconds)) / (to.at - from.at);
  return round(Math.max(0, percent), 1);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
