import { generateId } from '../../fleet/computers/ids.js';
import { missing } from '../../fleet/errors/missing.js';
import { Bytes } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names = 'listRuns' | 'createRun' | 'getRun' | 'updateRunTask' | 'getRunPicture';

export const runHandlers: Pick<Handlers, Names> = {
  listRuns: ({ fleet, owner }) => ({ runs: fleet.runs.list(owner.id) }),
  createRun: ({ fleet, owner, body }) => fleet.runs.create(owner.id, generateId('run'), body),
  getRun: ({ fleet, owner, params: { run = '' } }) => {
    const found = fleet.runs.list(owner.id).find(({ id }) => id === run);
    if (found === undefined) throw missing('run', run, LIST);
    return found;
  },
  updateRunTask: ({ fleet, owner, params: { run = '', task = '' }, body }) => {
    const isKnown = fleet.runs.update({ ownerId: owner.id, run, task }, body);
    if (!isKnown) throw noTask(task);
    return { success: true };
  },
  getRunPicture: ({ fleet, owner, params: { run = '', task = '' } }) => {
    const picture = fleet.runs.picture(owner.id, run, task);
    if (picture === undefined) throw noTask(task);
    return new Bytes(picture, 'image/jpeg');
  },
};

const LIST = { list: 'vc api GET /runs' };

function noTask(task: string) {
  return missing('task of a run', task, LIST);
}
