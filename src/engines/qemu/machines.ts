import { ApiError } from '../../contract/errors.js';
import type { Channel, MachineEvent, MachineSpec, MachineState } from '../engine.js';
import { probesIn, removeAbandonedProbes } from './acceleration/index.js';
import { ensureDirectory, finishRemovals, names, removeDirectory } from './files.js';
import { withAgent } from './guest/configure.js';
import type { Host } from './host.js';
import { assertId } from './ids.js';
import { QemuMachine } from './machine.js';
import { make } from './making.js';
import type { MachineRecord } from './record.js';
import type { Spares } from './spares/index.js';
import { finishConfiguring, type StartParts, startMachine } from './starting.js';
import { Turns } from './turns.js';

/** A guest's agent answers at once; one that does not is asked no longer. */
const SHUTDOWN_MS = 2_000;

export interface MachinesOptions extends Omit<StartParts, 'host'> {
  readonly host: Host;
  readonly serviceId: string;
  readonly spares?: Pick<Spares, 'take' | 'wanted'>;
  /** Called whenever a machine's state may have changed. */
  onChange(id: string): void;
  /** Called when a guest has ended a stream. */
  onHangUp(id: string, channel: Channel): void;
}

/** All machines of this service: what the directories say, and what runs. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #turns = new Turns();
  readonly #machines = new Map<string, QemuMachine>();
  #loaded: Promise<void> | undefined;

  constructor(options: MachinesOptions) {
    this.#options = options;
  }

  /** Idempotent. */
  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    await this.#turn(spec.id, async (machine) => {
      signal?.throwIfAborted();
      machine.assertReadable();
      if (machine.record !== undefined) return;
      if (!(await this.#options.spares?.take(machine, spec))) {
        await make(machine, this.#options, spec);
      }
    });
  }

  async start(id: string, signal?: AbortSignal, onRunning?: () => void): Promise<void> {
    await this.#turn(id, async (machine) => {
      const { used, image, spec } = known(machine);
      await startMachine(machine, { ...this.#options, onRunning }, signal);
      if (!used && image.kind === 'vc') this.#options.spares?.wanted(spec);
    });
  }

  async stop(id: string, graceMs: number): Promise<void> {
    await this.#turn(id, async (machine) => {
      if (machine.record === undefined) return;
      await machine.judge();
      if (machine.record.intended === 'running') await machine.note({ intended: 'stopped' });
      const { qemu } = machine;
      if (qemu) {
        const end = performance.now() + graceMs;
        const paused = machine.trouble !== undefined;
        const asked = graceMs > 0 && !paused && (await askToEnd(machine, graceMs));
        await qemu.end(asked ? Math.max(1, end - performance.now()) : 0);
      }
      if (machine.record.process) await machine.note({ process: null });
    });
  }

  /** Idempotent; whatever state the machine is in, nothing of it is left. */
  async remove(id: string): Promise<void> {
    await this.#turn(id, async (machine) => {
      await machine.qemu?.end(0);
      await removeDirectory(machine.directory);
      machine.forget();
    });
    this.#machines.delete(id);
    this.#options.onChange(id);
  }

  /** Runs `work` while nothing else is done with either machine. */
  async withTwo<T>(
    from: string,
    to: string,
    work: (from: QemuMachine, to: QemuMachine) => Promise<T>,
  ): Promise<T> {
    // In an order of their own, so that two of these never wait for each other.
    const [first, second] = [from, to].sort();
    if (first === undefined || second === undefined || first === second) {
      throw new ApiError('invalid_request', 'A computer cannot be a copy of itself.');
    }
    return this.#turn(first, (a) =>
      this.#turn(second, (b) => (first === from ? work(a, b) : work(b, a))),
    );
  }

  async list(): Promise<MachineState[]> {
    await this.#load();
    const there = new Set(await names(this.#options.host.layout.machines));
    for (const id of this.#machines.keys()) if (!there.has(id)) await this.#lost(id);
    return Promise.all([...this.#machines.keys()].map((id) => this.#state(id)));
  }

  /** What a machine is now. */
  async event(id: string): Promise<MachineEvent> {
    return this.#machines.has(id) ? this.#state(id) : { id, status: 'gone' };
  }

  /** A machine that is there; throws ApiError `not_found`. */
  async get(id: string): Promise<{ machine: QemuMachine; record: MachineRecord }> {
    await this.#load();
    assertId(id);
    const machine = this.#machines.get(id);
    if (machine === undefined) throw gone();
    return { machine, record: known(machine) };
  }

  running(): QemuMachine[] {
    return [...this.#machines.values()].filter((machine) => machine.qemu !== undefined);
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    await this.#turns.settled();
    for (const machine of this.#machines.values()) machine.qemu?.release();
  }

  async #turn<T>(id: string, work: (machine: QemuMachine) => Promise<T>): Promise<T> {
    await this.#load();
    assertId(id);
    try {
      return await this.#turns.run(id, () => work(this.#machine(id)));
    } finally {
      this.#options.onChange(id);
    }
  }

  #machine(id: string): QemuMachine {
    const known = this.#machines.get(id);
    if (known) return known;
    const machine = new QemuMachine(id, this.#options.host.layout.machine(id), {
      onChange: (changed) => this.#options.onChange(changed),
      onHangUp: (ended, channel) => this.#options.onHangUp(ended, channel),
      onReset: (restarted) => void this.#configureAgain(restarted).catch(() => undefined),
    });
    this.#machines.set(id, machine);
    return machine;
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#readAll().catch((error) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #readAll(): Promise<void> {
    const { machines, root } = this.#options.host.layout;
    await ensureDirectory(machines);
    await finishRemovals(machines);
    await removeAbandonedProbes(probesIn(root));
    const ids = (await names(machines)).filter((name) => /^[a-z0-9_]{1,40}$/.test(name));
    await Promise.all([
      ...ids.map((id) => this.#machine(id).load()),
      // What isolates the machines that are there is asked of the engine from now on.
      ids.length > 0 && this.#options.host.acceleration().catch(() => undefined),
    ]);
    // A guest that restarted while no service was there waits to be told who it is.
    for (const { id, record } of this.running()) {
      if (record?.used) this.#configureAgain(id).catch(() => undefined);
    }
  }

  async #state(id: string): Promise<MachineState> {
    const machine = this.#machine(id);
    if (!this.#turns.busy(id)) await this.#turns.run(id, () => machine.judge());
    return machine.state;
  }

  /** Somebody removed its directory. */
  async #lost(id: string): Promise<void> {
    if (this.#turns.busy(id)) return;
    await this.#turns.run(id, async () => {
      const machine = this.#machine(id);
      await machine.qemu?.end(0);
      machine.forget();
      this.#machines.delete(id);
    });
    this.#options.onChange(id);
  }

  async #configureAgain(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine?.record?.image.kind === 'vc') await finishConfiguring(machine, this.#options);
  }
}

/** True when the guest has been asked to end, and can be expected to. */
async function askToEnd(machine: QemuMachine, graceMs: number): Promise<boolean> {
  const timeoutMs = Math.min(graceMs, SHUTDOWN_MS);
  try {
    if (machine.record?.image.kind === 'vc') {
      const place = await machine.place();
      await withAgent(place, (agent) => agent.shutdown(timeoutMs), { timeoutMs });
    } else await machine.qemu?.execute('system_powerdown', undefined, { timeoutMs });
    return true;
  } catch {
    return false;
  }
}

function known(machine: QemuMachine): MachineRecord {
  machine.assertReadable();
  if (machine.record) return machine.record;
  throw gone();
}

function gone(): ApiError {
  return new ApiError('not_found', 'The computer is not there any more.');
}
