import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { activeNode, addLayer } from '../../disk/layers.js';
import { layerNode } from '../../machine/arguments.js';
import type { MachineRecord } from '../../machine/machine-record.js';
import type { QemuMachine } from '../../machine/qemu-machine.js';
import type { QemuProcess } from '../../machine/qemu-process.js';

/** A new layer for the disk of a running machine, to which QEMU switches at one point in time. */
export class DiskSwitch {
  /** The layers that do not change any more after the switch. */
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
