import type { MachineLabel } from '../engine.js';
import { assertMachineId, isMachineId } from '../machine-id.js';

/** Begins the keys in an instance's configuration that say what it is, its label among them. */
const USER_KEY = 'user.vc.';

export const KEY = {
  service: `${USER_KEY}service`,
  machine: `${USER_KEY}id`,
  /** Id of a volume. */
  volume: `${USER_KEY}volume`,
  owner: `${USER_KEY}owner`,
  project: `${USER_KEY}project`,
  os: `${USER_KEY}os`,
  image: `${USER_KEY}image`,
  /** Id of the saved disk that it was made from, or empty. */
  source: `${USER_KEY}source`,
} as const;

/** The label of a machine as configuration of its instance. */
export function labelConfig(label: MachineLabel): Record<string, string> {
  const entries = Object.entries(label).map(([name, text]) => [USER_KEY + name, text]);
  return Object.fromEntries(entries);
}

/** The label in an instance's configuration. */
export function labelOf(config: Readonly<Record<string, string>>): MachineLabel {
  const label: Record<string, string> = {};
  for (const key in config) {
    if (!key.startsWith(USER_KEY) || key === KEY.service || key === KEY.machine) continue;
    label[key.slice(USER_KEY.length)] = config[key] ?? '';
  }
  return label;
}

/** Properties of an image. */
export const PROPERTY = {
  name: 'vc.name',
  recipe: 'vc.recipe',
  os: 'vc.os',
  /** Id of the saved disk that an image holds. */
  saved: 'vc.saved',
  kind: 'vc.kind',
  service: 'vc.service',
  /** The machine that it was saved from. */
  machine: 'vc.machine',
} as const;

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

/** Name of a volume, and of the device by which an instance has it. */
export function volumeName(id: string): string {
  return instanceName(id);
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

/** The alias of an image that holds a saved disk: no image name has an underscore at this place. */
export function savedAlias(id: string): string {
  assertMachineId(id);
  return `${PREFIX}_saved-${id}`;
}

/** Name of the snapshot of a machine as it was made; it is no id of a saved disk. */
export const ORIGIN = 'vc-origin';
