import { assertMachineId, isMachineId } from '../machine-id.js';

/** Keys in an instance's configuration that say what it is. */
export const KEY = {
  service: 'user.vc.service',
  machine: 'user.vc.id',
  owner: 'user.vc.owner',
  project: 'user.vc.project',
  os: 'user.vc.os',
  image: 'user.vc.image',
} as const;

/** Properties of an image. */
export const PROPERTY = { name: 'vc.name', recipe: 'vc.recipe', os: 'vc.os' } as const;

/** Keys in the cluster project's configuration, which `vc setup` writes for the service. */
export const PROJECT_KEY = {
  pool: 'user.vc.pool',
  network: 'user.vc.network',
  /** Address of the gateway with the prefix length, for example `10.150.0.1/16`. */
  gateway: 'user.vc.gateway',
} as const;

const PREFIX = 'vc-';

/** Name of a machine's instance: names have hyphens where ids have underscores. */
export function instanceName(id: string): string {
  assertMachineId(id);
  return PREFIX + id.replaceAll('_', '-');
}

/** The id of the machine with that instance, undefined if it is none of ours. */
export function machineOf(name: string): string | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const id = name.slice(PREFIX.length).replaceAll('-', '_');
  return isMachineId(id) ? id : undefined;
}

/** The alias of an image that new machines are made from. */
export function imageAlias(name: string): string {
  return `${PREFIX}${name}`;
}
