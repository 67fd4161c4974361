import { processUsage } from '../../../lib/process/usage.js';
import type { MachineUsage } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import { ownBytes } from '../disk/own-bytes.js';
import type { MachineRecord } from './machine-record.js';
import type { QemuMachine } from './qemu-machine.js';

/** The resource usage of a machine's QEMU. Works while the guest or QEMU's monitor hangs. */
export async function machineUsage(
  machine: QemuMachine,
  record: MachineRecord,
): Promise<MachineUsage> {
  const { qemu, directory } = machine;
  const used = qemu && (await processUsage(qemu.identity));
  if (used === undefined) throw notRunning();
  return {
    cpuSeconds: used.cpuSeconds,
    memoryBytes: used.residentBytes,
    diskBytes: await ownBytes(directory, record),
    diskTotalBytes: record.image.diskBytes,
  };
}
