import type { MachineSize, MachineSpec } from '../../engine.js';
import type { ClusterFacts } from '../client/facts.js';
import { imageAlias, instanceName, KEY, labelConfig, volumeName } from '../ids.js';
import { formatAddress, type Subnet } from './addresses.js';

/** What the service and the cluster add to a machine's specification. */
export interface Surroundings {
  readonly serviceId: string;
  readonly allowSudo: boolean;
  readonly pool: string;
  /** Size of the root disk in GiB; a limit where the storage pool supports quotas. */
  readonly diskGib: number;
  /** Undefined for a machine without a network. */
  readonly network:
    | { readonly name: string; readonly subnet: Subnet; readonly address: string }
    | undefined;
  /** Keys of this kind of server. */
  readonly serverConfig: ClusterFacts['serverConfig'];
}

/** An image, or a snapshot of an instance. */
export type InstanceSource =
  | { readonly type: 'image'; readonly alias: string }
  | { readonly type: 'copy'; readonly source: string };

/**
 * The body of a request that creates a machine's instance, of its image or from `from`. A copy gets
 * everything of its original that is not named here.
 */
export function instanceOf(
  spec: MachineSpec,
  around: Surroundings,
  from: InstanceSource = { type: 'image', alias: imageAlias(spec.image) },
) {
  const isCopy = from.type === 'copy';
  const source = isCopy ? { ...from, instance_only: true } : from;
  return {
    name: instanceName(spec.id),
    type: 'container',
    profiles: [],
    source,
    config: configOf(spec, around),
    devices: { ...devicesOf(around, isCopy), ...volumeDevices(spec, around) },
  };
}

/**
 * Everything that isolates a machine is sent: a restricted project refuses a wrong value, but not a
 * missing one.
 */
function configOf(spec: MachineSpec, around: Surroundings): Record<string, string> {
  const { network } = around;
  const gateway = network && formatAddress(network.subnet.gateway);
  return {
    'limits.memory.enforce': 'hard',
    'limits.processes': '2048',
    'security.idmap.isolated': 'true',
    'security.privileged': 'false',
    'security.nesting': 'false',
    ...around.serverConfig,
    'boot.autostart': 'false',
    'environment.VC_NETWORK': network
      ? `${network.address}/${network.subnet.prefix} ${gateway}`
      : '',
    'environment.VC_VOLUMES': (spec.volumes ?? [])
      .map(({ path, readOnly }) => `${readOnly ? 'ro' : 'rw'}:${path}`)
      .join(' '),
    [SUDO]: around.allowSudo && spec.sudo !== false ? '1' : '0',
    ...changeableConfig(spec),
    [KEY.service]: around.serviceId,
    [KEY.source]: spec.from?.id ?? '',
  };
}

/** The keys of a specification that can differ from one start of a machine to the next. */
export function changeableConfig(spec: MachineSpec): Record<string, string> {
  return {
    ...labelConfig(spec.label ?? {}),
    ...sizeConfig(spec),
    [AUTHORIZED_KEY]: spec.authorizedKey,
    [HOST_NAME]: spec.hostName,
    [KEY.machine]: spec.id,
    [KEY.owner]: spec.ownerId,
    [KEY.project]: spec.projectId,
    [KEY.os]: spec.os,
    [KEY.image]: spec.image,
  };
}

/** The keys of a machine's size. */
export function sizeConfig({ cpu, ram, resolution }: MachineSize): Record<string, string> {
  return {
    'limits.cpu': `${cpu}`,
    'limits.memory': `${ram}GiB`,
    'environment.VC_RESOLUTION': `${resolution.width}x${resolution.height}`,
    'environment.VC_MEMORY_MIB': `${ram * 1024}`,
  };
}

/**
 * The keys that a machine keeps when it is put back to a snapshot, which brings back those of its time, and
 * user ids that the cluster gave to the snapshot.
 */
export function keptConfig(config: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => KEPT.test(key)));
}

const KEPT = /^(user\.vc\.|environment\.VC_|limits\.)/;

/** The key that says whether the user may become root. */
export const SUDO = 'environment.VC_SUDO';
/** The key with the guest's host name, which the image's first process reads. */
export const HOST_NAME = 'environment.VC_HOST_NAME';
/** The key with the public key that may log in, which is written to a file at every start. */
export const AUTHORIZED_KEY = 'environment.VC_AUTHORIZED_KEY';

function volumeDevices({ volumes = [] }: MachineSpec, { pool }: Surroundings) {
  const devices = volumes.map(({ id, path, readOnly }) => {
    const source = volumeName(id);
    const device = { type: 'disk', pool, source, path, ...(readOnly && { readonly: 'true' }) };
    return [source, device] as const;
  });
  return Object.fromEntries(devices);
}

function devicesOf({ pool, diskGib, network }: Surroundings, isCopy: boolean) {
  const root = { type: 'disk', path: '/', pool, size: `${diskGib}GiB` };
  // The original may have a network.
  if (network === undefined) return isCopy ? { root, eth0: { type: 'none' } } : { root };
  const eth0 = {
    type: 'nic',
    name: 'eth0',
    network: network.name,
    'ipv4.address': network.address,
    // Machines on a member cannot reach each other, and cannot take each other's addresses.
    'security.port_isolation': 'true',
    'security.mac_filtering': 'true',
    'security.ipv4_filtering': 'true',
  };
  return { root, eth0 };
}
