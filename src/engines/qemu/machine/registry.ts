import { ApiError } from '../../../contract/errors.js';
import { KeyedQueue } from '../../../lib/async/keyed-queue.js';
import { sleep } from '../../../lib/async/sleep.js';
import type {
  Channel,
  MachineEvent,
  MachineSize,
  MachineSpec,
  MachineState,
} from '../../engine.js';
import { assertMachineId, isMachineId } from '../../machine-id.js';
import { probesIn, removeAbandonedProbes } from '../acceleration/boot-probe.js';
import { ensureDirectory, finishRemovals, names, removeDirectory } from '../disk/files.js';
import type { QemuHost } from '../host.js';
import { machinePolicy } from '../network/machine-policy.js';
import { applyPolicy } from '../network/refresh.js';
import type { QemuPool } from '../pool/qemu-pool.js';
import { hasVolumes } from './arguments.js';
import { configureGuest } from './configure-guest.js';
import { createMachine } from './create.js';
import type { MachineRecord } from './machine-record.js';
import { QemuMachine } from './qemu-machine.js';
import { type StartParts, startMachine, stopMachine } from './start-stop.js';

/** Retries, and the pause before each, if QEMU does not answer a service that adopts it. */
const RECOVERIES = 60;
const RECOVER_EVERY_MS = 1_000;

export interface MachineRegistryOptions extends Omit<StartParts, 'host'> {
  readonly host: QemuHost;
  readonly serviceId: string;
  readonly pool?: Pick<QemuPool, 'claim' | 'replenish'>;
  /** Called when a machine's state may have changed. */
  onChange(id: string): void;
  /** Called when a guest has closed a stream. */
  onHangUp(id: string, channel: Channel): void;
}

/** All machines of this service, by id. Operations on the same machine run one at a time. */
export class MachineRegistry {
  readonly #options: MachineRegistryOptions;
  readonly #queue = new KeyedQueue();
  readonly #machines = new Map<string, QemuMachine>();
  readonly #close = new AbortController();
  #loaded: Promise<void> | undefined;

  constructor(options: MachineRegistryOptions) {
    this.#options = options;
  }

  /** Idempotent. */
  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    await this.#run(spec.id, async (machine) => {
      signal?.throwIfAborted();
      machine.assertReadable();
      if (machine.record !== undefined) return;
      // A warm machine may reach what every machine may, and has no volumes.
      const isFree = this.#options.host.networkOf(spec.id) === 'internet';
      if (isFree && !hasVolumes(spec) && (await this.#options.pool?.claim(machine, spec))) return;
      await createMachine(machine, this.#options, spec);
    });
  }

  async start(id: string, signal?: AbortSignal, onRunning?: () => void): Promise<void> {
    await this.#run(id, async (machine) => {
      const { used, image, spec } = recordOf(machine);
      await startMachine(machine, { ...this.#options, onRunning }, signal);
      const isOfImage = spec.from?.kind !== 'snapshot' && !hasVolumes(spec);
      if (!used && image.kind === 'vc' && isOfImage) this.#options.pool?.replenish(spec);
    });
  }

  async setHostName(id: string, hostName: string): Promise<void> {
    await this.#run(id, async (machine) => {
      const { spec } = recordOf(machine);
      if (spec.hostName !== hostName) await machine.write({ spec: { ...spec, hostName } });
    });
  }

  /** What runs keeps its size, which it needs to be saved with its memory. */
  async resize(id: string, { cpu, ram, resolution }: MachineSize): Promise<'next start'> {
    await this.#run(id, async (machine) => {
      const { spec, resume } = recordOf(machine);
      if (machine.qemu !== undefined && resume !== 'pool') return;
      const size = { cpu, ram, resolution };
      const isSame = spec.cpu === cpu && spec.ram === ram;
      if (!isSame) await machine.qemu?.end(0);
      // Memory that it was to resume does not fit another size: it boots.
      const boots = isSame ? {} : { resume: null, resumeMac: null };
      await machine.write({ spec: { ...spec, ...size }, ...boots });
    });
    return 'next start';
  }

  /** Changes what a running machine may reach, unless it is so already. */
  async applyNetwork(id: string): Promise<void> {
    await this.#run(id, async (machine) => {
      const { qemu, record, directory } = machine;
      const network = this.#options.host.networkOf(id);
      if (qemu === undefined || record === undefined) return;
      if (JSON.stringify(record.network) === JSON.stringify(network)) return;
      const { mode } = await this.#options.host.network();
      // Until it is known which of them is in force.
      await machine.write({ network: null });
      // A machine that shares the network of the host has none itself.
      if (mode !== 'restricted') {
        await applyPolicy(qemu.identity, directory, machinePolicy(network));
      }
      await machine.write({ network });
    });
  }

  async stop(id: string, graceMs: number): Promise<void> {
    await this.#run(id, (machine) => stopMachine(machine, graceMs));
  }

  /** Idempotent; removes a machine in any state. */
  async remove(id: string): Promise<void> {
    await this.#run(id, async (machine) => {
      await machine.qemu?.end(0);
      await removeDirectory(machine.directory);
      machine.forget();
    });
    this.#machines.delete(id);
    this.#options.onChange(id);
  }

  /** Runs `work` while no other operation runs on the machine. Throws `not_found`. */
  async withMachine<T>(
    id: string,
    work: (machine: QemuMachine, record: MachineRecord) => Promise<T>,
  ): Promise<T> {
    return this.#run(id, (machine) => work(machine, recordOf(machine)));
  }

  async list(): Promise<MachineState[]> {
    await this.#load();
    const existing = new Set(await names(this.#options.host.layout.machines));
    for (const id of this.#machines.keys()) if (!existing.has(id)) await this.#forget(id);
    return Promise.all([...this.#machines.keys()].map((id) => this.#state(id)));
  }

  /** A machine's present state, as an event. */
  async event(id: string): Promise<MachineEvent> {
    return this.#machines.has(id) ? this.#state(id) : { id, status: 'gone' };
  }

  /** A machine that exists; throws ApiError `not_found`. */
  async get(id: string): Promise<{ machine: QemuMachine; record: MachineRecord }> {
    await this.#load();
    assertMachineId(id);
    const machine = this.#machines.get(id);
    if (machine === undefined) throw notFound();
    return { machine, record: recordOf(machine) };
  }

  running(): QemuMachine[] {
    return [...this.#machines.values()].filter((machine) => machine.qemu !== undefined);
  }

  /** Waits for running operations, then releases all machines; they keep running. */
  async close(): Promise<void> {
    this.#close.abort();
    await this.#queue.settled();
    for (const machine of this.#machines.values()) machine.qemu?.release();
  }

  async #run<T>(id: string, work: (machine: QemuMachine) => Promise<T>): Promise<T> {
    await this.#load();
    assertMachineId(id);
    try {
      return await this.#queue.run(id, () => work(this.#machine(id)));
    } finally {
      this.#options.onChange(id);
    }
  }

  #machine(id: string): QemuMachine {
    const known = this.#machines.get(id);
    if (known) return known;
    const machine = new QemuMachine(id, this.#options.host.layout.machine(id), {
      onChange: (changed) => this.#options.onChange(changed),
      onHangUp: (changed, channel) => this.#options.onHangUp(changed, channel),
      onReset: (changed) => this.#configureAgain(changed),
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
    const ids = (await names(machines)).filter(isMachineId);
    await Promise.all([
      ...ids.map((id) => this.#machine(id).load()),
      // Machines exist, so the engine must know its isolation.
      ids.length > 0 && this.#options.host.acceleration().catch(() => undefined),
    ]);
    for (const machine of this.running()) this.#resumeUse(machine).catch(() => undefined);
  }

  /** Takes over a machine that ran without a service, even if its QEMU answers slowly. */
  async #resumeUse(machine: QemuMachine): Promise<void> {
    const { id } = machine;
    for (
      let left = RECOVERIES;
      left > 0 && machine.qemu && !this.#close.signal.aborted;
      left -= 1
    ) {
      if (await this.#queue.run(id, () => machine.recover())) break;
      await sleep(RECOVER_EVERY_MS, this.#close.signal);
    }
    // A guest that rebooted while no service ran waits for its configuration.
    if (machine.record?.used) await this.#configureAgain(id);
  }

  async #state(id: string): Promise<MachineState> {
    const machine = this.#machine(id);
    if (!this.#queue.busy(id)) await this.#queue.run(id, () => machine.recordExit());
    return machine.state;
  }

  /** For a machine whose directory was removed from outside. */
  async #forget(id: string): Promise<void> {
    if (this.#queue.busy(id)) return;
    await this.#queue.run(id, async () => {
      const machine = this.#machine(id);
      await machine.qemu?.end(0);
      machine.forget();
      this.#machines.delete(id);
    });
    this.#options.onChange(id);
  }

  async #configureAgain(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine?.record?.image.kind === 'vc') await configureGuest(machine, this.#options.host);
  }
}

function recordOf(machine: QemuMachine): MachineRecord {
  machine.assertReadable();
  if (machine.record) return machine.record;
  throw notFound();
}

function notFound(): ApiError {
  return new ApiError('not_found', 'The computer no longer exists.', {
    remedy: 'See: vc ls --all',
  });
}
