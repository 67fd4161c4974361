import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { processUsage } from '../../../lib/process/usage.js';
import type { MachineUsage } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import { unlessMissing } from '../disk/files.js';
import type { MachineRecord } from './machine-record.js';
import type { QemuMachine } from './qemu-machine.js';

/** Bytes of a block as `stat` counts them. */
const BLOCK = 512;

/** The resource usage of a machine's QEMU. Works while the guest or QEMU's monitor hangs. */
export async function machineUsage(
  machine: QemuMachine,
  { layers, image }: MachineRecord,
): Promise<MachineUsage> {
  const { qemu, directory } = machine;
  const used = qemu && (await processUsage(qemu.identity));
  if (used === undefined) throw notRunning();
  // The lowest layer is the image, which machines share.
  const own = layers.slice(1).map((layer) => unlessMissing(lstat(join(directory, layer))));
  const blocks = (await Promise.all(own)).map((stats) => stats?.blocks ?? 0);
  return {
    cpuSeconds: used.cpuSeconds,
    memoryBytes: used.residentBytes,
    diskBytes: blocks.reduce((sum, count) => sum + count, 0) * BLOCK,
    diskTotalBytes: image.diskBytes,
  };
}
