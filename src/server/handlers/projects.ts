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

async function remove({
  fleet,
  owner,
  params,
}: Pick<Call<unknown, unknown>, 'fleet' | 'owner' | 'params'>) {
  await fleet.projects.remove(owner, params.project ?? '');
  return { success: true as const };
}

export const projectHandlers: Pick<Handlers, Names> = {
  createProject: ({ fleet, owner, body }) => fleet.projects.create(owner, body.name),
  listProjects: ({ fleet, owner }) => ({ projects: fleet.projects.list(owner) }),
  getProject: ({ fleet, owner, params }) => fleet.projects.get(owner, params.project ?? ''),
  deleteProject: remove,
  deleteProjectByPost: remove,
  startProject: ({ fleet, owner, params }) =>
    fleet.projects.each(owner, params.project ?? '', 'start'),
  stopProject: ({ fleet, owner, params }) =>
    fleet.projects.each(owner, params.project ?? '', 'stop'),
  restartProject: ({ fleet, owner, params }) =>
    fleet.projects.each(owner, params.project ?? '', 'restart'),
};
