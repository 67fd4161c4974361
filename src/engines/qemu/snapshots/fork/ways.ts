import type { MachineRecord } from '../../machine/machine-record.js';

/**
 * How a running machine is copied. `fork-mapped`: the copy maps a file with the memory, for which the
 * service reads the memory of the source's QEMU. `fork`: QEMU saves the memory, and the copy loads
 * all of it.
 */
export type ForkWay = 'fork-mapped' | 'fork';

/**
 * The ways to copy a machine, the best one first. With KVM, QEMU saves the memory while the guest
 * runs. Only root may read the memory of another process. An imported disk's machine has a display
 * whose memory is not part of the guest's.
 */
export function waysToFork(
  record: Pick<MachineRecord, 'image'> | undefined,
  acceleration: 'kvm' | 'tcg',
  uid = process.getuid?.(),
): ForkWay[] {
  const isMapped = acceleration === 'tcg' && uid === 0 && record?.image.kind === 'vc';
  return isMapped ? ['fork-mapped', 'fork'] : ['fork'];
}
