import type { Handlers } from '../handlers.js';
import { computerOf } from '../requests.js';

type Names =
  | 'createComputer'
  | 'listComputers'
  | 'getComputer'
  | 'deleteComputer'
  | 'startComputer'
  | 'stopComputer'
  | 'restartComputer';

export const computerHandlers: Pick<Handlers, Names> = {
  createComputer: ({ fleet, owner, params, body, query }) => {
    const project = fleet.projects.find(owner, params.project ?? '');
    return fleet.computers.create(owner, project, body, query.wait ? 'ready' : 'no');
  },
  listComputers: ({ fleet, owner, params }) => {
    const project = fleet.projects.find(owner, params.project ?? '');
    return { computers: fleet.computers.list(project.id) };
  },
  getComputer: ({ fleet, owner, params }) =>
    fleet.computers.view(computerOf(fleet, owner, params).id),
  deleteComputer: async ({ fleet, owner, params }) => {
    await fleet.computers.remove(computerOf(fleet, owner, params));
    return { success: true };
  },
  startComputer: ({ fleet, owner, params }) =>
    fleet.computers.start(computerOf(fleet, owner, params)),
  stopComputer: ({ fleet, owner, params }) =>
    fleet.computers.stop(computerOf(fleet, owner, params)),
  restartComputer: ({ fleet, owner, params }) =>
    fleet.computers.restart(computerOf(fleet, owner, params)),
};
