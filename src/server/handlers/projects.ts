import type { OperationName } from '../../contract/routes.js';
import type { EachComputer, ProjectStep } from '../../fleet/computers/projects.js';
import { audited } from '../audit-requests.js';
import type { Call } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names =
  | 'createProject'
  | 'listProjects'
  | 'getProject'
  | 'updateProject'
  | 'deleteProject'
  | 'deleteProjectByPost'
  | 'startProject'
  | 'stopProject'
  | 'restartProject'
  | ('listSecrets' | 'setSecret' | 'deleteSecret');

type Asked = Pick<Call<unknown, unknown>, 'fleet' | 'owner' | 'params'>;

async function remove({ fleet, owner, params }: Asked) {
  const eachAudited = auditEach('deleteProject', { fleet, owner, params });
  await fleet.projects.remove(owner, params.project ?? '', eachAudited);
  return { success: true as const };
}

function each(name: OperationName, step: ProjectStep) {
  return ({ fleet, owner, params }: Asked) => {
    const eachAudited = auditEach(name, { fleet, owner, params });
    return fleet.projects.each(owner, params.project ?? '', step, eachAudited);
  };
}

/** Writes a project's operation into the audit log of each of its computers. */
function auditEach(name: OperationName, { fleet, owner }: Asked): EachComputer {
  return (computer, work) => audited(fleet, { name, owner, computer, input: {} }, work);
}

export const projectHandlers: Pick<Handlers, Names> = {
  createProject: ({ fleet, owner, body, onCreated }) =>
    fleet.projects.create(owner, body.name, onCreated),
  listProjects: ({ fleet, owner }) => ({ projects: fleet.projects.list(owner) }),
  getProject: ({ fleet, owner, params }) => fleet.projects.get(owner, params.project ?? ''),
  updateProject: ({ fleet, owner, params, body }) =>
    fleet.projects.update(owner, params.project ?? '', body),
  deleteProject: remove,
  deleteProjectByPost: remove,
  startProject: each('startProject', 'start'),
  stopProject: each('stopProject', 'stop'),
  restartProject: each('restartProject', 'restart'),
  listSecrets: ({ fleet, owner, params }) => ({
    secrets: fleet.secrets.list(owner, params.project ?? ''),
  }),
  setSecret: ({ fleet, owner, params, body }) =>
    fleet.secrets.set(owner, params.project ?? '', params.secret ?? '', body.value),
  deleteSecret: ({ fleet, owner, params }) => {
    fleet.secrets.remove(owner, params.project ?? '', params.secret ?? '');
    return { success: true };
  },
};
