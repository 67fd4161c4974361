import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { layerNode } from '../arguments.js';
import { FILES } from '../layout.js';
import type { QemuMachine } from '../machine.js';
import type { Qemu } from '../qemu.js';
import { receive } from '../receiver.js';
import type { MachineRecord } from '../record.js';
import { abandonSave } from './abandon.js';
import { activeNode, addLayer, freeze } from './layers.js';
import { Switchover } from './switchover.js';

export interface SaveOptions {
  readonly directory: string;
  readonly acceleration: 'kvm' | 'tcg';
  readonly signal: AbortSignal | undefined;
}

/** What a saved machine may have besides its memory, in bytes: pages that it changed meanwhile. */
const BESIDES = 2 ** 30;

/**
 * Saves a running machine's memory to the file `state` in `directory`, and freezes its disk at the
 * same instant. The machine goes on; it stands still for the last part of it only. Returns the
 * layers that hold its disk of that instant. If it rejects, the machine runs as it did before.
 */
export async function saveRunning(
  machine: QemuMachine,
  qemu: Qemu,
  record: MachineRecord,
  { directory, acceleration, signal }: SaveOptions,
): Promise<readonly string[]> {
  await abandonSave(qemu);
  const limit = Math.ceil(record.spec.ram * 2 ** 30 * 1.1) + BESIDES;
  const receiver = await receive(qemu.place, { path: join(directory, FILES.state), limit });
  let layer: string | undefined;
  let switched = false;
  const switchover = new Switchover(qemu);
  try {
    const node = await activeNode(qemu);
    layer = await addLayer(machine, record);
    await qemu.execute('blockdev-add', { ...layerNode(layer, layer), backing: null });
    await switchover.begin(receiver.uri, acceleration, signal);
    await switchover.paused(signal);
    await qemu.execute('blockdev-snapshot', { node, overlay: layer });
    switched = true;
    await switchover.finish();
    await receiver.received;
    await freeze(machine.directory, record.layers.slice(1));
    return record.layers;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError('internal', `The computer could not be copied: ${words}`, { cause });
  } finally {
    await switchover.goOn();
    await receiver.close();
    if (layer !== undefined && !switched) await withdraw(machine, qemu, record, layer);
  }
}

/** Takes away a layer that nothing was written to. */
async function withdraw(
  machine: QemuMachine,
  qemu: Qemu,
  record: MachineRecord,
  layer: string,
): Promise<void> {
  await qemu.execute('blockdev-del', { 'node-name': layer }).catch(() => undefined);
  // A QEMU that was asked and did not answer may have switched all the same.
  const node = await activeNode(qemu).catch(() => undefined);
  if (node === undefined || node === layer) return;
  await machine.write({ layers: record.layers });
  await rm(join(machine.directory, layer), { force: true });
}
