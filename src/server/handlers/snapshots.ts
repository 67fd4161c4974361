import { ApiError } from '../../contract/errors.js';
import type { Handlers } from './handlers.js';

export const snapshotHandlers: Pick<
  Handlers,
  'createSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'resetComputer'
> = {
  createSnapshot: notYet,
  listSnapshots: notYet,
  deleteSnapshot: notYet,
  resetComputer: notYet,
};

export function notYet(): never {
  throw new ApiError('not_found', 'There are no snapshots yet.');
}
