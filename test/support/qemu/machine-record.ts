import type { MachineRecord } from '../../../src/engines/qemu/machine/machine-record.js';
import { currentBootId } from '../../../src/lib/process/identity.js';

/** The record of a used machine without a process, with `change` applied. */
export async function machineRecord(change: Partial<MachineRecord>): Promise<MachineRecord> {
  const bootId = await currentBootId();
  return {
    version: 1,
    serviceId: 'test',
    spec: {
      ...{ id: 'one', ownerId: 'o', projectId: 'p', os: 'linux', image: 'linux', cpu: 1, ram: 1 },
      ...{ gpu: 'none', resolution: { width: 800, height: 600 }, authorizedKey: 'key' },
      hostName: 'one',
    },
    image: {
      ...{ kind: 'vc', os: 'linux', identity: 'i', firmware: 'bios', commandLine: '' },
      ...{ user: 'user', privateKey: null, diskBytes: 1 << 30 },
    },
    hostKey: 'key',
    layers: ['image.qcow2', 'disk-1.qcow2'],
    base: ['image.qcow2'],
    intended: 'running',
    used: true,
    resume: null,
    resumeMac: null,
    // No process has this id: the maximum on Linux is 4,194,304.
    process: { pid: 5_000_000, startTime: 1, bootId, uid: 0 },
    network: 'internet',
    failure: null,
    ...change,
  };
}
