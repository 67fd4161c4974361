import type { Handlers } from '../handlers.js';

export const keyHandlers: Pick<Handlers, 'listKeys' | 'createKey' | 'deleteKey'> = {
  listKeys: ({ fleet, owner }) => ({ keys: fleet.access.list(owner) }),
  createKey: ({ fleet, owner, body }) => fleet.access.create(owner, body.name),
  deleteKey: ({ fleet, owner, params }) => {
    fleet.access.remove(owner, params.key ?? '');
    return { success: true };
  },
};
