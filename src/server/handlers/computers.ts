import type { Answer } from '../../contract/operations.js';
import type { Computer } from '../../contract/resources.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { Handlers } from './handlers.js';

type Names =
  | 'createComputer'
  | 'createComputerIn'
  | 'listAllComputers'
  | 'listComputers'
  | 'getComputer'
  | 'deleteComputer'
  | 'updateComputer'
  | 'startComputer'
  | 'stopComputer'
  | 'restartComputer'
  | 'listActions'
  | 'forkComputer'
  | 'getControl'
  | 'takeControl'
  | 'releaseControl'
  | 'getStats'
  | 'getStatsHistory'
  | 'listStatsHistory'
  | 'getNetwork';

export const computerHandlers: Pick<Handlers, Names> = {
  createComputer: ({ fleet, owner, params, body, query, onCreated }) => {
    const project = fleet.projects.find(owner, params.project ?? '');
    return fleet.computers.create(owner, project, body, query.wait ? 'ready' : 'no', onCreated);
  },
  createComputerIn: ({ fleet, owner, body: given, query, onCreated }) => {
    const { project: named, project_id, workspace_id, ...body } = given;
    const project = named ?? project_id ?? workspace_id ?? '';
    const row = fleet.projects.find(owner, project);
    return fleet.computers.create(owner, row, body, query.wait ? 'ready' : 'no', onCreated);
  },
  listAllComputers: ({ fleet, owner, query }) => fleet.computers.page(owner, query),
  listComputers: ({ fleet, owner, params, query }) => {
    const project = fleet.projects.find(owner, params.project ?? '');
    return { computers: fleet.computers.list(project, query) };
  },
  getComputer: ({ fleet, computer }) => fleet.computers.describe(computer),
  deleteComputer: async ({ fleet, computer }) => {
    await fleet.computers.remove(computer);
    return { success: true };
  },
  updateComputer: async ({ fleet, computer, body, signal }) => {
    const changed = await fleet.computers.update(computer, body);
    return changed.pending ? fleet.computers.resize(computer, signal) : changed;
  },
  listActions: ({ fleet, computer, query }) => ({
    actions: fleet.auditLog.list(computer, query),
  }),
  getControl: ({ fleet, owner, computer }) => controlState(fleet, owner, computer.id),
  takeControl: ({ fleet, owner, computer, body }) => {
    fleet.control.take(computer, owner, body.force ? 'force' : 'if-free');
    return controlState(fleet, owner, computer.id);
  },
  releaseControl: ({ fleet, owner, computer }) => {
    fleet.control.release(computer.id, owner);
    return { success: true };
  },
  getStats: ({ fleet, computer, signal }) => fleet.usage.of(computer, signal),
  getStatsHistory: ({ fleet, computer }) => fleet.usageHistory.of(computer),
  listStatsHistory: ({ fleet, owner, query: { since = '' } }) => {
    const from = Date.parse(since) || 0;
    const all = fleet.computers.records(owner).map((one) => fleet.usageHistory.of(one, from));
    return { computers: all.filter(({ samples }) => samples.length > 0) };
  },
  getNetwork: ({ fleet, computer, signal }) => fleet.computers.network(computer, signal),
  startComputer: ({ fleet, computer, query, stillAllowed }) =>
    fleet.computers.start(computer, query.wait ? 'ready' : 'no', stillAllowed),
  stopComputer: ({ fleet, owner, computer }) => fleet.computers.stop(computer, owner),
  restartComputer: ({ fleet, computer, query, stillAllowed }) =>
    fleet.computers.restart(computer, query.wait ? 'ready' : 'no', stillAllowed),
  forkComputer: async ({ fleet, owner, computer, body, query, onCreated }) => {
    const { name, names, snapshot } = body;
    const wanted = { names: names ?? (name === undefined ? [] : [name]), snapshot };
    const isList = names !== undefined;
    const created = (ids: readonly string[]) =>
      onCreated?.(isList ? JSON.stringify(ids) : (ids[0] ?? ''));
    const wait = query.wait ? 'ready' : 'no';
    const computers = await fleet.computers.fork(owner, computer, wanted, wait, created);
    return copiesAnswer(computers, isList);
  },
};

/** A list if `names` were asked for, however many. */
function copiesAnswer(computers: readonly Computer[], isList: boolean): Answer<'forkComputer'> {
  const [copy] = computers;
  return isList || copy === undefined ? { computers: [...computers] } : copy;
}

function controlState(fleet: Fleet, owner: Owner, id: string) {
  return { control: fleet.control.of(id), is_mine: fleet.control.isHeldBy(id, owner) };
}
