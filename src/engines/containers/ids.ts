import { createHash } from 'node:crypto';
import { assertMachineId } from '../machine-id.js';

/** Labels on all objects of vc in the Engine. */
export const LABEL = {
  service: 'sh.vc.service',
  machine: 'sh.vc.machine',
  /** The machine's user id. */
  uid: 'sh.vc.uid',
  owner: 'sh.vc.owner',
  project: 'sh.vc.project',
  /** Made for the warm pool; one that is paused is not used by a computer. */
  spare: 'sh.vc.spare',
  helper: 'sh.vc.helper',
  firewall: 'sh.vc.firewall',
  rules: 'sh.vc.rules',
  /** The service's process, if others on the host can tell whether it still runs. */
  process: 'sh.vc.process',
  image: 'sh.vc.image',
  os: 'sh.vc.os',
  recipe: 'sh.vc.recipe',
} as const;

/** Hash of the service's id, for the names of host interfaces and firewall tables. */
export function serviceHash(serviceId: string): string {
  return createHash('sha256').update(serviceId).digest('hex');
}

/** Name of a machine's container and of its network. */
export function machineName(id: string): string {
  assertMachineId(id);
  return `vc-${id}`;
}

/** Prefix of the names of a service's bridges on the host, unique to the service. */
export function bridgePrefix(serviceId: string): string {
  return `vc${serviceHash(serviceId).slice(0, 4)}`;
}

/** Name of a machine's bridge on the host: 15 characters, Linux's maximum. */
export function bridgeName(serviceId: string, id: string): string {
  return bridgePrefix(serviceId) + serviceHash(id).slice(0, 9);
}

/** The Engine's repository for an image name. */
export function repository(name: string): string {
  return `vc/${name}`;
}

/** The tag of the image that new computers are made from. */
export function imageTag(name: string): string {
  return `${repository(name)}:latest`;
}
