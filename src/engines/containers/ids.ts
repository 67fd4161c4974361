import { createHash } from 'node:crypto';
import type { DiskSource } from '../engine.js';
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
  /** The machine that a saved disk is of, on its image. */
  of: 'sh.vc.of',
  /** What a saved disk takes beyond the image that it builds on. */
  bytes: 'sh.vc.bytes',
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

/** Prefix of the devices that throttle what bridges receive, for the name of one or what begins like it. */
export function throttlePrefix(bridge: string): string {
  return `vi${bridge.slice('vc'.length, bridgePrefix('').length)}`;
}

/** The Engine's repository for an image name. */
export function repository(name: string): string {
  return `vc/${name}`;
}

/** The tag of the image that new computers are made from. */
export function imageTag(name: string): string {
  return `${repository(name)}:latest`;
}

/** An image's repository for each kind of saved disk; no image of a name is in one of them. */
const SAVED_REPOSITORIES = { snapshot: 'vc-snapshot', image: 'vc-image' } as const;

/** Tag of a saved disk. */
export function savedTag({ id, kind }: DiskSource): string {
  assertMachineId(id);
  return `${SAVED_REPOSITORIES[kind]}/${id}:latest`;
}

/** The saved disk that a tag is of, if any. */
export function parseSavedTag(tag: string): DiskSource | undefined {
  const [, kind, id] = /^vc-(snapshot|image)\/([a-z0-9_]{1,40}):latest$/.exec(tag) ?? [];
  return id === undefined ? undefined : { id, kind: kind === 'image' ? 'image' : 'snapshot' };
}

/** Tag of the image that a machine was made from, once it has been reset. */
export function originTag(id: string): string {
  assertMachineId(id);
  return `vc-origin/${id}:latest`;
}

/** Prefix of the tags of a service's images that are removed when nothing needs them any more. */
export function releasedPrefix(serviceId: string): string {
  return `vc-released/${serviceHash(serviceId).slice(0, 12)}-`;
}

const BUILDER = 'vc-builder-';

/** Name of the container that a disk is saved through. */
export function builderName(id: string): string {
  assertMachineId(id);
  return BUILDER + id;
}

/** The name's saved disk, if it is one of a builder. */
export function parseBuilderName(name: string): string | undefined {
  const plain = name.replace(/^\//, '');
  return plain.startsWith(BUILDER) ? plain.slice(BUILDER.length) : undefined;
}

/** An image's tag as it was given: Podman adds a registry to it. */
export function withoutRegistry(tag: string): string {
  return tag.replace(/^docker\.io\//, '');
}
