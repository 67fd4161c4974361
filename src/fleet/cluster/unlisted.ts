import type { Clustered } from '../../engines/clustered.js';
import type { Engine, MachineState } from '../../engines/engine.js';
import { isLost } from '../errors/lost-machine.js';
import { type ComputerRecord, hasDisk } from '../store/records.js';

/**
 * The machines of computers that a list of the engine lacks and that exist nevertheless: a cluster may
 * be moving them. Those without a disk are not asked for: nothing of them can be lost.
 */
export async function unlisted(
  engine: Engine & Clustered,
  records: readonly ComputerRecord[],
  signal: AbortSignal,
): Promise<MachineState[]> {
  const asked = records.filter(
    (record) =>
      record.engine === engine.name &&
      record.status !== 'deleting' &&
      hasDisk(record) &&
      !isLost(record),
  );
  return asked.length === 0
    ? []
    : engine.unlisted(
        asked.map(({ id }) => id),
        signal,
      );
}
