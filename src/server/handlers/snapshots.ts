import type { Handlers } from './handlers.js';

export const snapshotHandlers: Pick<
  Handlers,
  'createSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'resetComputer'
> = {
  createSnapshot: async ({ fleet, computer, body, onCreated }) => {
    const made = await fleet.snapshots.create(computer, body, onCreated);
    await fleet.trajectories.snapshotMade(computer, made.name);
    return made;
  },
  listSnapshots: ({ fleet, computer }) => ({ snapshots: fleet.snapshots.list(computer) }),
  deleteSnapshot: async ({ fleet, computer, params }) => {
    await fleet.snapshots.remove(computer, params.snapshot ?? '');
    return { success: true };
  },
  resetComputer: ({ fleet, computer, body, query, stillAllowed }) =>
    fleet.computers.reset(computer, body.snapshot, query.wait ? 'ready' : 'no', stillAllowed),
};
