import { Bytes } from '../../requests.js';
import type { Handlers } from '../handlers.js';

export const imageHandlers: Pick<
  Handlers,
  'listImages' | 'saveImage' | 'getImage' | 'getImageLog' | 'deleteImage' | 'pruneImages'
> = {
  listImages: ({ fleet, owner, signal }) => fleet.images.list(owner, signal),
  saveImage: ({ fleet, owner, body: { computer, ...body }, onCreated }) => {
    const [project = '', ...name] = computer.split('/');
    const isId = name.length === 0;
    const address = isId ? { id: computer } : { project, name: name.join('/') };
    return fleet.images.save(owner, fleet.computers.find(owner, address), body, onCreated);
  },
  getImage: ({ fleet, owner, params, signal }) =>
    fleet.images.get(owner, params.image ?? '', signal),
  getImageLog: async ({ fleet, owner, params, signal }) => {
    const log = await fleet.images.log(owner, params.image ?? '', signal);
    return new Bytes(Buffer.from(log), 'text/plain; charset=utf-8');
  },
  deleteImage: async ({ fleet, owner, params }) => {
    await fleet.images.remove(owner, params.image ?? '');
    return { success: true };
  },
  pruneImages: async ({ fleet, owner }) => ({ bytes: await fleet.builds.prune(owner) }),
};
