import { ApiError } from '../../../contract/errors.js';
import type { SaveRequest } from '../../engine.js';
import { addLayer, copyVariables, freeze, shareFiles } from '../disk/layers.js';
import { refuseLargeDisk } from '../disk/merge-layers.js';
import { type Agent, guestIdentity, withAgent } from '../guest/agent.js';
import type { QemuHost } from '../host.js';
import { macAddress } from '../ids.js';
import { hasVolumes } from '../machine/arguments.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { saveDisk, saveRunning } from './save-running.js';
import { type FrozenMachine, requirements } from './saved/record.js';

/** Time for the guest to set its clock. */
const CLOCK_MS = 10_000;
/** Time for the guest to become idle, at most 30 s, and to write. */
const SETTLE_MS = 60_000;

export interface FreezeParts {
  readonly host: QemuHost;
  /** Saves the memory too if the machine runs. */
  readonly memory: SaveRequest['memory'];
  /** Does not compress the memory. */
  readonly forCopies: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Freezes the disk of a machine, and its memory if it runs, into an empty directory. The machine writes to
 * a new layer from then on, and runs if it ran. On failure it is unchanged.
 */
export async function freezeMachine(
  machine: QemuMachine,
  record: MachineRecord,
  directory: string,
  parts: FreezeParts,
): Promise<FrozenMachine> {
  const { image } = record;
  const { qemu } = machine;
  const frozen = qemu
    ? await freezeRunning(machine, qemu, record, directory, parts)
    : { layers: [...(await freezeStopped(machine, record))], memory: null };
  await shareFiles(machine.directory, directory, { image, layers: frozen.layers });
  await copyVariables(machine, directory);
  return { image, ...frozen };
}

async function freezeRunning(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
  directory: string,
  { host, memory, forCopies, signal }: FreezeParts,
): Promise<Omit<FrozenMachine, 'image'>> {
  await refuseLargeDisk(machine.directory, record);
  if (hasVolumes(record.spec) && memory === 'required') {
    const message = 'QEMU cannot save the memory of a computer with volumes.';
    throw new ApiError('unsupported', message, { remedy: 'Leave "memory" out.' });
  }
  if (!memory || hasVolumes(record.spec)) {
    await writeToDisk(qemu, record, signal);
    return { layers: [...(await saveDisk(machine, qemu, record))], memory: null };
  }
  const needed = await requirements(record.spec, host, signal);
  const { acceleration } = needed;
  const compress = !forCopies && (await host.canCompress());
  const options = { directory, acceleration, compress, signal };
  const layers = await saveRunning(machine, qemu, record, options);
  // Not awaited: it takes most of a second in an emulated guest, and nothing depends on it.
  void setClock(qemu, record, host, signal);
  const mac = record.resumeMac ?? macAddress(record.spec.id);
  return { layers: [...layers], memory: { ...needed, mac } };
}

/** Returns the frozen layers. A machine that has not been used has written nothing. */
async function freezeStopped(
  machine: QemuMachine,
  record: MachineRecord,
): Promise<readonly string[]> {
  if (!record.used) return record.resume === 'fork' ? record.layers.slice(0, -1) : record.base;
  await addLayer(machine, record);
  await freeze(machine.directory, record.layers.slice(1));
  return record.layers;
}

/**
 * Has the guest write to its disk what it has in memory. If it does not answer in time, its disk is as after
 * a power failure.
 */
async function writeToDisk(
  { workspace }: QemuProcess,
  { image }: MachineRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (image.kind !== 'vc') return;
  try {
    const settle = (agent: Agent) => agent.settle(SETTLE_MS, signal);
    await withAgent(workspace, settle, { signal, timeoutMs: SETTLE_MS });
  } catch {
    signal?.throwIfAborted();
  }
}

/** Corrects the clock, which stopped while the guest or its host was paused. Never throws: it can be wrong. */
export async function setClock(
  qemu: QemuProcess,
  record: MachineRecord,
  host: QemuHost,
  signal: AbortSignal | undefined,
): Promise<void> {
  // It may have been stopped or removed meanwhile.
  if (record.image.kind !== 'vc' || !qemu.alive) return;
  try {
    const { guest } = await host.network();
    const identity = guestIdentity(record, guest);
    const options = { signal, timeoutMs: CLOCK_MS };
    const { workspace } = qemu;
    await withAgent(workspace, (agent) => agent.configure(identity, signal), options);
  } catch {
    // The guest does not answer, or the service stops.
  }
}
