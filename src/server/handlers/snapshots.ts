import type { Handlers } from './handlers.js';

export const snapshotHandlers: Pick<
  Handlers,
  'createSnapshot' | 'listSnapshots' | 'deleteSnapshot' | 'resetComputer'
> = {
  createSnapshot: ({ fleet, computer, body, onCreated }) =>
    fleet.snapshots.create(computer, body, onCreated),
  listSnapshots: ({ fleet, computer }) => ({ snapshots: fleet.snapshots.list(computer) }),
  deleteSnapshot: async ({ fleet, computer, params }) => {
    await fleet.snapshots.remove(computer, params.snapshot ?? '');
    return { success: true };
  },
  resetComputer: ({ fleet, computer, body, query, stillAllowed }) =>
    fleet.computers.reset(computer, body.snapshot, query.wait ? 'ready' : 'no', stillAllowed),
};
