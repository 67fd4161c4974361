import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../../contract/errors.js';
import { errorMessage } from '../../../../lib/text/error-message.js';
import { hidePaths } from '../../../../lib/text/hide-paths.js';
import { activeNode, addLayer, freeze } from '../../disk/layers.js';
import { FILES } from '../../layout.js';
import { layerNode } from '../../machine/arguments.js';
import type { MachineRecord } from '../../machine/machine-record.js';
import type { QemuMachine } from '../../machine/qemu-machine.js';
import type { QemuProcess } from '../../machine/qemu-process.js';
import { cancelMigration } from '../cancel-migration.js';
import { LiveMigration } from '../live-migration.js';
import { openMigrationSink } from '../migration-sink.js';

export interface SaveOptions {
  readonly directory: string;
  readonly acceleration: 'kvm' | 'tcg';
  readonly signal: AbortSignal | undefined;
}

/** Bytes that the state may take besides the memory: pages that change meanwhile are sent again. */
const RESENT_BYTES = 2 ** 30;

/**
 * Saves a running machine's memory to the file `state` in `directory` and freezes its disk at the
 * same point in time. The guest is paused only for the last part and runs afterwards. Returns the
 * frozen layers. If it rejects, the machine runs as before.
 */
export async function saveRunning(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
  { directory, acceleration, signal }: SaveOptions,
): Promise<readonly string[]> {
  await cancelMigration(qemu);
  const limit = Math.ceil(record.spec.ram * 2 ** 30 * 1.1) + RESENT_BYTES;
  const sink = await openMigrationSink(qemu.workspace, {
    path: join(directory, FILES.state),
    limit,
  });
  let layer: string | undefined;
  let switched = false;
  const migration = new LiveMigration(qemu);
  try {
    const node = await activeNode(qemu);
    layer = await addLayer(machine, record);
    await qemu.execute('blockdev-add', { ...layerNode(layer, layer), backing: null });
    await migration.begin(sink.uri, acceleration, signal);
    await migration.untilPaused(signal);
    await qemu.execute('blockdev-snapshot', { node, overlay: layer });
    switched = true;
    await migration.finish();
    await sink.received;
    await freeze(machine.directory, record.layers.slice(1));
    return record.layers;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(
      'internal',
      `The computer cannot be copied: ${hidePaths(errorMessage(cause))}`,
      {
        cause,
      },
    );
  } finally {
    await migration.cancel();
    await sink.close();
    if (layer !== undefined && !switched) await removeUnusedLayer(machine, qemu, record, layer);
  }
}

/** Removes a layer that QEMU has not switched to. */
async function removeUnusedLayer(
  machine: QemuMachine,
  qemu: QemuProcess,
  record: MachineRecord,
  layer: string,
): Promise<void> {
  await qemu.execute('blockdev-del', { 'node-name': layer }).catch(() => undefined);
  // QEMU may have switched even if its answer did not arrive.
  const node = await activeNode(qemu).catch(() => undefined);
  if (node === undefined || node === layer) return;
  await machine.write({ layers: record.layers });
  await rm(join(machine.directory, layer), { force: true });
}
