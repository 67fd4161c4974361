import type { Handlers } from './handlers.js';

export const volumeHandlers: Pick<Handlers, 'listVolumes' | 'createVolume' | 'deleteVolume'> = {
  listVolumes: ({ fleet, owner }) => ({ volumes: fleet.volumes.list(owner.id) }),
  createVolume: ({ fleet, owner, body }) => fleet.volumes.create(owner.id, body),
  deleteVolume: async ({ fleet, owner, params }) => {
    await fleet.volumes.remove(owner.id, params.volume ?? '');
    return { success: true };
  },
};
