import type { Handlers } from './handlers.js';

export const imageHandlers: Pick<Handlers, 'listImages'> = {
  listImages: ({ fleet, signal }) => fleet.images(signal),
};
