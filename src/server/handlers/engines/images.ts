import type { Handlers } from '../handlers.js';

export const imageHandlers: Pick<
  Handlers,
  'listImages' | 'saveImage' | 'getImage' | 'deleteImage'
> = {
  listImages: ({ fleet, owner, signal }) => fleet.images.list(owner, signal),
  saveImage: ({ fleet, owner, body: { computer, ...body }, onCreated }) => {
    const [project = '', ...name] = computer.split('/');
    const isId = name.length === 0;
    const address = isId ? { id: computer } : { project, name: name.join('/') };
    return fleet.images.save(fleet.computers.find(owner, address), body, onCreated);
  },
  getImage: ({ fleet, owner, params, signal }) =>
    fleet.images.get(owner, params.image ?? '', signal),
  deleteImage: async ({ fleet, owner, params }) => {
    await fleet.images.remove(owner, params.image ?? '');
    return { success: true };
  },
};
