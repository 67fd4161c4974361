import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { activeNode, addLayer, freeze } from '../disk/layers.js';
import { FILES } from '../layout.js';
import { layerNode } from '../machine/arguments.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { LiveMigration } from './live-migration.js';
import { cancelMigration } from './migration.js';
import { compressStream, openMigrationSink } from './migration-sink.js';

export interface SaveOptions {
  readonly directory: string;
  readonly acceleration: 'kvm' | 'tcg';
  /** Compresses the memory, when the guest runs again. */
  readonly compress: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Extra bytes for the state: pages that change while it is saved are sent again. */
const RESENT_BYTES = 2 ** 30;

/**
 * Saves a running machine's memory to the file `state` in `directory` and freezes its disk at the
 * same point in time. The guest is paused for the last part, with TCG for all of it, and runs
 * afterwards. Returns the frozen layers. If it rejects, the machine runs as before.
 */
export async function saveRunning(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
  { directory, acceleration, compress, signal }: SaveOptions,
): Promise<readonly string[]> {
  await cancelMigration(qemu);
  const limit = Math.ceil(record.spec.ram * 2 ** 30 * 1.1) + RESENT_BYTES;
  const state = join(directory, FILES.state);
  const path = compress ? `${state}.raw` : state;
  const sink = await openMigrationSink(qemu.workspace, { path, limit });
  const either = signal ? AbortSignal.any([signal, sink.failed]) : sink.failed;
  const migration = new LiveMigration(qemu);
  let disk: DiskSwitch | undefined;
  try {
    disk = await DiskSwitch.prepare(machine, qemu, record);
    await migration.begin(sink.uri, acceleration, signal);
    await migration.untilPaused(either);
    await disk.perform();
    await migration.finish(sink.failed);
    await sink.received;
    await freeze(machine.directory, disk.frozen.slice(1));
    if (compress) await compressStream(path, state, signal);
    return disk.frozen;
  } finally {
    await migration.cancel();
    await sink.close();
    await disk?.undo();
  }
}

/**
 * Freezes the disk of a running machine without its memory, as it is after a power failure at that moment.
 * Returns the frozen layers. If it rejects, the machine runs as before.
 */
export async function saveDisk(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
): Promise<readonly string[]> {
  await cancelMigration(qemu);
  const disk = await DiskSwitch.prepare(machine, qemu, record);
  try {
    await disk.perform();
    await freeze(machine.directory, disk.frozen.slice(1));
    return disk.frozen;
  } finally {
    await disk.undo();
  }
}

/** A new layer for the disk of a running machine, to which QEMU switches at one point in time. */
class DiskSwitch {
  /** The layers that no longer change after the switch. */
  readonly frozen: readonly string[];
  readonly #machine: QemuMachine;
  readonly #qemu: QemuProcess;
  readonly #node: string;
  readonly #layer: string;
  #isSwitched = false;

  /** Adds the layer to the record and to QEMU. If it rejects, nothing is left of it. */
  static async prepare(
    machine: QemuMachine,
    qemu: QemuProcess,
    record: MachineRecord,
  ): Promise<DiskSwitch> {
    const node = await activeNode(qemu);
    const layer = await addLayer(machine, record);
    const disk = new DiskSwitch(machine, qemu, record.layers, { node, layer });
    try {
      await qemu.execute('blockdev-add', { ...layerNode(layer, layer), backing: null });
      return disk;
    } catch (error) {
      await disk.undo();
      throw error;
    }
  }

  private constructor(
    machine: QemuMachine,
    qemu: QemuProcess,
    frozen: readonly string[],
    { node, layer }: { readonly node: string; readonly layer: string },
  ) {
    this.#machine = machine;
    this.#qemu = qemu;
    this.frozen = frozen;
    this.#node = node;
    this.#layer = layer;
  }

  /** Everything that the guest has written until now is in the frozen layers. */
  async perform(): Promise<void> {
    const overlay = this.#layer;
    await this.#qemu.execute('blockdev-snapshot', { node: this.#node, overlay });
    this.#isSwitched = true;
  }

  /** Removes the layer unless QEMU has switched to it. Never throws because of QEMU. */
  async undo(): Promise<void> {
    if (this.#isSwitched) return;
    await this.#qemu.execute('blockdev-del', { 'node-name': this.#layer }).catch(() => undefined);
    // QEMU may have switched even if its answer did not arrive.
    const node = await activeNode(this.#qemu).catch(() => undefined);
    if (node === undefined || node === this.#layer) return;
    await this.#machine.write({ layers: [...this.frozen] });
    await rm(join(this.#machine.directory, this.#layer), { force: true });
  }
}
