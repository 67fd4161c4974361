import { ApiError } from '../../contract/errors.js';
import { inCommands } from '../errors/remedies.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { withinAnswer } from './within-answer.js';

/** The computer once no step runs on it; undefined if it was deleted. */
export async function settled(
  store: Store,
  machines: Machines,
  id: string,
): Promise<ComputerRecord | undefined> {
  const record = store.computers.findById(id);
  if (record?.status !== 'starting' && record?.status !== 'stopping') return record;
  await withinAnswer(machines.of(record).settled());
  return store.computers.findById(id);
}

/** Refuses one that was deleted, or is being deleted. */
export function refuseDeleted(record: ComputerRecord | undefined): ComputerRecord {
  if (record === undefined)
    throw new ApiError('not_found', 'The computer was deleted meanwhile.', {
      remedy: 'See: vc ls --all',
    });
  if (record.status !== 'deleting') return record;
  throw new ApiError('conflict', `The computer ${JSON.stringify(record.name)} is being deleted.`);
}

/** Only a running or stopped computer has a disk that can be saved. */
export function refuseUnsettled(given: ComputerRecord | undefined): ComputerRecord {
  const record = refuseDeleted(given);
  const { name, status } = record;
  if (status === 'running' || status === 'stopped') return record;
  const message = `The computer ${JSON.stringify(name)} is neither running nor stopped: its status is ${status}.`;
  const remedy = `Start it first: vc start ${inCommands(record)}`;
  throw new ApiError('conflict', message, { remedy });
}
