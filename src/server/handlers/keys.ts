import type { Handlers } from '../handlers.js';

export const keyHandlers: Pick<Handlers, 'getMe' | 'listKeys' | 'createKey' | 'deleteKey'> = {
  getMe: ({ fleet, owner }) => ({
    ...fleet.access.describe(owner),
    ...fleet.computers.usage(owner.id),
  }),
  listKeys: ({ fleet, owner }) => ({ keys: fleet.access.list(owner) }),
  createKey: ({ fleet, owner, body }) => fleet.access.create(owner, body.name),
  deleteKey: ({ fleet, owner, params }) => {
    fleet.access.remove(owner, params.key ?? '');
    return { success: true };
  },
};
