import { join } from 'node:path';
import { freeze } from '../../disk/layers.js';
import { FILES } from '../../layout.js';
import type { MachineRecord } from '../../machine/machine-record.js';
import type { QemuMachine } from '../../machine/qemu-machine.js';
import type { QemuProcess } from '../../machine/qemu-process.js';
import { cancelMigration } from '../cancel-migration.js';
import { LiveMigration } from '../live-migration.js';
import { openMigrationSink } from '../migration-sink.js';
import { DiskSwitch } from './disk-switch.js';

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
    return disk.frozen;
  } finally {
    await migration.cancel();
    await sink.close();
    await disk?.undo();
  }
}
