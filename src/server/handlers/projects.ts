import type { OperationName } from '../../contract/routes.js';
import { outcomeOf, startTimer } from '../../fleet/audit/audit-log.js';
import type { ProjectStep, StartEntry } from '../../fleet/computers/projects.js';
import type { Call } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names =
  | 'createProject'
  | 'listProjects'
  | 'listWorkspaces'
  | 'getProject'
  | 'updateProject'
  | 'deleteProject'
  | 'deleteProjectByPost'
  | 'startProject'
  | 'stopProject'
  | 'restartProject'
  | ('listSecrets' | 'setSecret' | 'deleteSecret');

type Asked = Pick<Call<unknown, unknown>, 'fleet' | 'owner' | 'params' | 'stillAllowed'>;

async function remove({ fleet, owner, params }: Asked) {
  const audit = entryOfEach('deleteProject', { fleet, owner });
  await fleet.projects.remove(owner, params.project ?? '', audit);
  return { success: true as const };
}

function each(name: OperationName, step: ProjectStep) {
  return ({ fleet, owner, params, stillAllowed }: Asked) => {
    const audit = entryOfEach(name, { fleet, owner });
    return fleet.projects.each(owner, params.project ?? '', step, audit, stillAllowed);
  };
}

/** Writes a project's operation into the audit log of its computers. */
function entryOfEach(
  action: OperationName,
  { fleet, owner }: Pick<Asked, 'fleet' | 'owner'>,
): StartEntry {
  return ({ id, name }) => {
    const timer = startTimer();
    return (error) =>
      fleet.auditLog.record({
        owner,
        computerId: id,
        action,
        detail: action === 'deleteProject' ? { name } : {},
        outcome: error === undefined ? 'ok' : outcomeOf(error),
        ...timer(),
      });
  };
}

export const projectHandlers: Pick<Handlers, Names> = {
  createProject: ({ fleet, owner, body, onCreated }) =>
    fleet.projects.create(owner, body.name, onCreated),
  listProjects: ({ fleet, owner }) => ({ projects: fleet.projects.list(owner) }),
  listWorkspaces: ({ fleet, owner }) => ({ workspaces: fleet.projects.list(owner) }),
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
