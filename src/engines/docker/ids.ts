import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';

/** Labels on everything of ours in the Engine. */
export const LABEL = {
  service: 'sh.vc.service',
  machine: 'sh.vc.machine',
  owner: 'sh.vc.owner',
  project: 'sh.vc.project',
  helper: 'sh.vc.helper',
  image: 'sh.vc.image',
  os: 'sh.vc.os',
  recipe: 'sh.vc.recipe',
} as const;

/** The service's own part of the names of host interfaces and firewall tables. */
export function serviceHash(serviceId: string): string {
  return hash(serviceId);
}

/** Ids are generated; this is the last gate before they name things on the host. */
export function assertId(id: string): void {
  if (!/^[a-z0-9_]{1,40}$/.test(id)) {
    throw new ApiError('invalid_request', `${JSON.stringify(id)} is not a machine's id.`);
  }
}

/** Name of a machine's container and of its network. */
export function machineName(id: string): string {
  assertId(id);
  return `vc-${id}`;
}

/** Common beginning of the names of a service's bridges on the host, and of nobody else's. */
export function bridgePrefix(serviceId: string): string {
  return `vc${serviceHash(serviceId).slice(0, 4)}`;
}

/** Name of a machine's bridge on the host: 15 characters, the most that Linux takes. */
export function bridgeName(serviceId: string, id: string): string {
  return bridgePrefix(serviceId) + hash(id).slice(0, 9);
}

export function imageTag(name: string): string {
  return `vc/${name}:latest`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
