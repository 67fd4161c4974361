import { z } from 'zod';
import { act, look, manage } from '../access/rights.js';
import { Success } from '../primitives.js';
import { Image, ImageList, PruneAnswer, SaveImage } from '../resources/images.js';
import type { Operations } from './operation.js';

export const imagesOperations = {
  listImages: {
    method: 'GET',
    paths: ['/images'],
    tag: 'Images',
    summary: "List the owner's images, shared ones, and those of every engine",
    access: look.project,
    response: ImageList,
  },
  saveImage: {
    method: 'POST',
    paths: ['/images'],
    tag: 'Images',
    summary: 'Save a computer, or one of its snapshots, as an image to make others from',
    description:
      'The image has no memory. It belongs to the owner, or with `shared` to the service; there it replaces one of the same name. Computers that were made from it stay as they are.',
    access: manage.owner,
    audit: 'image save',
    idempotent: true,
    maxSeconds: 600,
    body: SaveImage,
    response: Image,
  },
  getImage: {
    method: 'GET',
    paths: ['/images/:image'],
    tag: 'Images',
    summary: "Get an image by its name: the owner's before a shared one, that before an engine's",
    access: look.project,
    response: Image,
  },
  getImageLog: {
    method: 'GET',
    paths: ['/images/:image/log'],
    tag: 'Images',
    summary: 'Get the log of the build that made an image',
    description:
      "Plain text: the progress of the build, at most its last 256 KiB, without the values of secrets and build arguments. Empty for images that were not built from a Dockerfile, and the service's.",
    access: act.project,
    response: z.unknown(),
    media: { 'text/plain': { type: 'string' } },
  },
  deleteImage: {
    method: 'DELETE',
    paths: ['/images/:image'],
    tag: 'Images',
    summary: "Delete one of the owner's images, or as an administrator a shared one",
    description: 'Refused while computers need it.',
    access: manage.owner,
    audit: 'image rm',
    response: Success,
  },
  pruneImages: {
    method: 'DELETE',
    paths: ['/build-cache'],
    tag: 'Images',
    summary: "Remove the cache of the owner's builds",
    description:
      'Removes the saved steps that are not images and that no running build uses. The next build carries them out again.',
    access: manage.owner,
    audit: 'image prune',
    maxSeconds: 600,
    response: PruneAnswer,
  },
} as const satisfies Operations;
