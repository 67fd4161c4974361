import type { Handlers } from '../handlers.js';

export const imageHandlers: Pick<Handlers, 'listImages'> = {
  listImages: ({ fleet, owner, signal }) => fleet.images(owner, signal),
};
