import type { Handlers } from '../handlers.js';

export const keyHandlers: Pick<
  Handlers,
  'getMe' | 'getUsage' | 'listAudit' | 'listKeys' | 'createKey' | 'updateKey' | 'deleteKey'
> = {
  getMe: ({ fleet, owner }) => ({
    ...fleet.keys.describe(owner),
    ...fleet.computers.usage(owner.id),
  }),
  getUsage: ({ fleet, owner, query }) => {
    fleet.volumes.measure(owner.id);
    const { running, max_running } = fleet.computers.usage(owner.id);
    const { max_storage, ...storage } = fleet.computers.storage(owner.id);
    return {
      days: fleet.usageLog.list(owner, query.days),
      limits: { max_running, max_storage },
      now: { running, ...storage },
    };
  },
  listAudit: ({ fleet, owner, query }) => ({
    entries: fleet.auditLog.listOfOwner(owner, query),
  }),
  listKeys: ({ fleet, owner }) => ({ keys: fleet.keys.list(owner) }),
  createKey: ({ fleet, owner, body }) => fleet.keys.create(owner, body),
  updateKey: ({ fleet, owner, params, body }) => fleet.keys.update(owner, params.key ?? '', body),
  deleteKey: ({ fleet, owner, params }) => ({
    success: true,
    made: fleet.keys.remove(owner, params.key ?? ''),
  }),
};
