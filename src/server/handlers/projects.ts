import type { OperationName } from '../../contract/operations.js';
import type { EachComputer, ProjectStep } from '../../fleet/projects.js';
import { recorded } from '../deeds.js';
import type { Handlers } from '../handlers.js';
import type { Call } from '../requests.js';

type Names =
  | 'createProject'
  | 'listProjects'
  | 'getProject'
  | 'deleteProject'
  | 'deleteProjectByPost'
  | 'startProject'
  | 'stopProject'
  | 'restartProject';

type Asked = Pick<Call<unknown, unknown>, 'fleet' | 'owner' | 'params'>;

async function remove({ fleet, owner, params }: Asked) {
  const noted = noting('deleteProject', { fleet, owner, params });
  await fleet.projects.remove(owner, params.project ?? '', noted);
  return { success: true as const };
}

function each(name: OperationName, step: ProjectStep) {
  return ({ fleet, owner, params }: Asked) => {
    const noted = noting(name, { fleet, owner, params });
    return fleet.projects.each(owner, params.project ?? '', step, noted);
  };
}

/** Writes what is done to a project into the ledger of each of its computers. */
function noting(name: OperationName, { fleet, owner }: Asked): EachComputer {
  return ({ id }, work) => recorded(fleet, { name, owner, params: { id }, input: {} }, work);
}

export const projectHandlers: Pick<Handlers, Names> = {
  createProject: ({ fleet, owner, body }) => fleet.projects.create(owner, body.name),
  listProjects: ({ fleet, owner }) => ({ projects: fleet.projects.list(owner) }),
  getProject: ({ fleet, owner, params }) => fleet.projects.get(owner, params.project ?? ''),
  deleteProject: remove,
  deleteProjectByPost: remove,
  startProject: each('startProject', 'start'),
  stopProject: each('stopProject', 'stop'),
  restartProject: each('restartProject', 'restart'),
};
