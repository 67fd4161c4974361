import type { Handlers } from '../handlers.js';

export const keyHandlers: Pick<
  Handlers,
  'getMe' | 'listAudit' | 'listKeys' | 'createKey' | 'deleteKey'
> = {
  getMe: ({ fleet, owner }) => ({
    ...fleet.apiKeys.describe(owner),
    ...fleet.computers.usage(owner.id),
  }),
  listAudit: ({ fleet, owner, query }) => ({
    entries: fleet.auditLog.listOfOwner(owner, query),
  }),
  listKeys: ({ fleet, owner }) => ({ keys: fleet.apiKeys.list(owner) }),
  createKey: ({ fleet, owner, body }) => fleet.apiKeys.create(owner, body.name),
  deleteKey: ({ fleet, owner, params }) => {
    fleet.apiKeys.remove(owner, params.key ?? '');
    return { success: true };
  },
};
