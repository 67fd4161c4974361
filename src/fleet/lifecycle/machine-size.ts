import { RESIZABLE } from '../../contract/constants.js';
import type { Computer } from '../../contract/resources.js';
import type { MachineSize } from '../../engines/engine.js';
import type { ComputerRecord } from '../store/records.js';

type SizeRow = Pick<ComputerRecord, 'ram' | 'cpu' | 'width' | 'height'>;

/** What a row says. */
export function wantedSize({ ram, cpu, width, height }: SizeRow): MachineSize {
  return { ram, cpu, resolution: { width, height } };
}

/** What its machine has, or had before it was stopped. */
export function machineSize(record: SizeRow & Pick<ComputerRecord, 'machine_size'>): MachineSize {
  if (record.machine_size === null) return wantedSize(record);
  return JSON.parse(record.machine_size) as MachineSize;
}

/** What its machine has from its next start on. */
export function pendingOf(record: ComputerRecord): NonNullable<Computer['pending']> {
  if (record.machine_size === null) return [];
  const [wanted, present] = [wantedSize(record), machineSize(record)];
  return RESIZABLE.filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(present[key]));
}
