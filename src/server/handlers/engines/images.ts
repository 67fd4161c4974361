import type { Handlers } from '../handlers.js';
import { notYet } from '../snapshots.js';

export const imageHandlers: Pick<
  Handlers,
  'listImages' | 'saveImage' | 'getImage' | 'deleteImage'
> = {
  listImages: ({ fleet, owner, signal }) => fleet.images(owner, signal),
  saveImage: notYet,
  getImage: notYet,
  deleteImage: notYet,
};
