import type { Handlers } from '../handlers.js';
import { computerOf } from '../requests.js';

type Names =
  | 'createComputer'
  | 'listComputers'
  | 'getComputer'
  | 'deleteComputer'
  | 'updateComputer'
  | 'startComputer'
  | 'stopComputer'
  | 'restartComputer'
  | 'listActions'
  | 'forkComputer';

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
  updateComputer: ({ fleet, owner, params, body }) =>
    fleet.computers.update(computerOf(fleet, owner, params), body),
  listActions: ({ fleet, owner, params, query }) => ({
    actions: fleet.ledger.list(computerOf(fleet, owner, params).id, query),
  }),
  startComputer: ({ fleet, owner, params, query }) =>
    fleet.computers.start(computerOf(fleet, owner, params), query.wait ? 'ready' : 'no'),
  stopComputer: ({ fleet, owner, params }) =>
    fleet.computers.stop(computerOf(fleet, owner, params)),
  restartComputer: ({ fleet, owner, params, query }) =>
    fleet.computers.restart(computerOf(fleet, owner, params), query.wait ? 'ready' : 'no'),
  forkComputer: ({ fleet, owner, params, body, query }) => {
    const source = computerOf(fleet, owner, params);
    return fleet.computers.fork(owner, source, body.name, query.wait ? 'ready' : 'no');
  },
};
