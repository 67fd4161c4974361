import { look, manage } from '../access/rights.js';
import { Success } from '../primitives.js';
import { CreateVolume, Volume, VolumeList } from '../resources/volumes.js';
import type { Operations } from './operation.js';

export const volumesOperations = {
  listVolumes: {
    method: 'GET',
    paths: ['/volumes'],
    tag: 'Volumes',
    summary: "List the owner's volumes",
    access: look.project,
    response: VolumeList,
  },
  createVolume: {
    method: 'POST',
    paths: ['/volumes'],
    tag: 'Volumes',
    summary: 'Create an empty volume',
    description:
      'It is on one engine, whose computers can mount it: see `volumes` of a new computer.',
    access: manage.owner,
    audit: 'volume create',
    body: CreateVolume,
    response: Volume,
  },
  deleteVolume: {
    method: 'DELETE',
    paths: ['/volumes/:volume'],
    tag: 'Volumes',
    summary: 'Delete a volume with its files',
    description: 'Refused while computers mount it, also stopped ones.',
    access: manage.owner,
    audit: 'volume rm',
    maxSeconds: 600,
    response: Success,
  },
} as const satisfies Operations;
