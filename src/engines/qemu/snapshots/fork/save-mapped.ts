import { constants, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../../../lib/text/error-message.js';
import { freeze } from '../../disk/layers.js';
import { FILES } from '../../layout.js';
import type { MachineRecord } from '../../machine/machine-record.js';
import type { QemuMachine } from '../../machine/qemu-machine.js';
import type { QemuProcess, Workspace } from '../../machine/qemu-process.js';
import { cancelMigration } from '../cancel-migration.js';
import { createDevicePipe, deviceStateProblem, saveDevices } from './device-state.js';
import { DiskSwitch } from './disk-switch.js';
import { readChanged } from './memory/changed-memory.js';
import { type GuestMemory, openGuestMemory } from './memory/guest-memory.js';
import { type MemoryTarget, prepareMemory } from './memory/target.js';
import { StateFile } from './state-file.js';

/** `/machine`'s type is its name with this suffix. */
const TYPE_SUFFIX = /-machine$/;

export interface MappedCopy {
  readonly copy: Workspace;
  /** Files with the memory of templates that the copy may map. */
  readonly memoryFiles: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Saves a running machine for a copy that maps the memory: into the files `memory` and `state` in
 * the copy's directory. The disk is frozen at the same point in time. The guest is paused while the
 * pages are read that it has changed since its start. Returns the frozen layers. If it rejects, the
 * machine runs as before.
 */
export async function saveMapped(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
  { copy, memoryFiles, signal }: MappedCopy,
): Promise<readonly string[]> {
  const problem = await deviceStateProblem(qemu.identity.pid);
  if (problem !== undefined) throw new Error(problem);
  await cancelMigration(qemu);
  const memory = await openGuestMemory(qemu, record.spec.ram * 2 ** 30);
  let state: StateFile | undefined;
  let target: MemoryTarget | undefined;
  let disk: DiskSwitch | undefined;
  try {
    const machineType = await typeOf(qemu);
    const { firmware } = memory;
    state = await StateFile.create(join(copy.directory, FILES.state), { machineType, firmware });
    target = await prepareMemory(memory, state, { copy, memoryFiles, signal });
    await createDevicePipe(qemu.workspace);
    disk = await DiskSwitch.prepare(machine, qemu, record);
    await flushLayer(machine.directory, record);
    signal?.throwIfAborted();
    const devices = await whilePaused(qemu, { memory, target, disk });
    await state.finish(devices);
    await freeze(machine.directory, disk.frozen.slice(1));
    return disk.frozen;
  } finally {
    await Promise.all([state?.close(), target?.close(), memory.close()]);
    await rm(join(machine.directory, FILES.devices), { force: true });
    await disk?.undo();
  }
}

/** Saves what changes while the guest runs. Continues the guest in any case. */
async function whilePaused(
  qemu: QemuProcess,
  parts: {
    readonly memory: GuestMemory;
    readonly target: MemoryTarget;
    readonly disk: DiskSwitch;
  },
): Promise<Buffer> {
  const { memory, target, disk } = parts;
  try {
    await qemu.execute('stop');
    await disk.perform();
    const devices = await saveDevices(qemu, memory.content, () =>
      readChanged(memory, (at, pages) => target.write(at, pages)),
    );
    await qemu.execute('cont');
    return devices;
  } catch (cause) {
    await cancelMigration(qemu).catch(() => undefined);
    throw new Error(`the memory cannot be copied: ${errorMessage(cause)}`, { cause });
  }
}

/** QEMU flushes the disk when the guest is paused; that takes less time if there is little left. */
async function flushLayer(directory: string, { layers }: MachineRecord): Promise<void> {
  // QEMU can replace the file, by a pipe as well, which would be waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(directory, layers.at(-1) ?? ''), flags);
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** The machine's versioned type, for example `pc-q35-7.2`. */
async function typeOf(qemu: QemuProcess): Promise<string> {
  const type = await qemu.execute('qom-get', { path: '/machine', property: 'type' });
  return String(type).replace(TYPE_SUFFIX, '');
}
