import type { Handlers } from '../handlers.js';

type Names =
  | 'listOwners'
  | 'createOwner'
  | 'getOwner'
  | 'updateOwner'
  | 'deleteOwner'
  | 'createOwnerKey'
  | 'listOwnerAudit';

export const ownerHandlers: Pick<Handlers, Names> = {
  listOwners: ({ fleet }) => ({ owners: fleet.owners.list() }),
  createOwner: ({ fleet, owner, body }) => fleet.owners.create(owner, body),
  getOwner: ({ fleet, params }) => fleet.owners.get(params.owner ?? ''),
  updateOwner: ({ fleet, params, body }) => fleet.owners.update(params.owner ?? '', body),
  deleteOwner: async ({ fleet, owner, params, query }) => {
    await fleet.owners.remove(owner, params.owner ?? '', query.force ? 'delete' : 'keep');
    return { success: true };
  },
  createOwnerKey: ({ fleet, owner, params, body }) =>
    fleet.owners.createKey(owner, params.owner ?? '', body.name),
  listOwnerAudit: ({ fleet, params, query }) => ({
    entries: fleet.owners.audit(params.owner ?? '', query),
  }),
};
