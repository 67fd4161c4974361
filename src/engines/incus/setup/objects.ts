import { INTERNAL_IPV4_NETWORKS } from '../../../lib/net/special-networks.js';
import { PROJECT_KEY } from '../ids.js';

/** Names of what vc makes in a cluster. */
export const NAMES = { project: 'vc', pool: 'vc', network: 'vcbr0', acl: 'vc' } as const;

/** Address of each member in the machines' network; 65,000 machines. */
export const GATEWAY = '10.150.0.1/16';

/** A rule of a network ACL, as far as it is read. */
export interface AclRule {
  readonly action: string;
  readonly destination?: string;
  readonly state: string;
}

/**
 * Rules between the network and the members: machines reach the public internet only, without the
 * members' own addresses. The network's default actions are in {@link networkConfig}.
 */
export function egressRules(members: readonly string[]): AclRule[] {
  return [dropTo([...INTERNAL_IPV4_NETWORKS, ...members.map((address) => `${address}/32`)])];
}

/** These rules and one for the addresses of members that they have not; undefined if they have all. */
export function withMembers(
  rules: readonly AclRule[],
  members: readonly string[],
): AclRule[] | undefined {
  const dropped = new Set(
    rules
      .filter(({ action, state }) => action === 'drop' && state === 'enabled')
      .flatMap(({ destination = '' }) => destination.split(',')),
  );
  const missing = [...INTERNAL_IPV4_NETWORKS, ...members.map((address) => `${address}/32`)].filter(
    (network) => !dropped.has(network),
  );
  return missing.length === 0 ? undefined : [...rules, dropTo(missing)];
}

function dropTo(networks: readonly string[]): AclRule {
  return { action: 'drop', destination: networks.join(','), state: 'enabled' };
}

export const networkConfig = {
  'ipv4.address': GATEWAY,
  'ipv4.nat': 'true',
  'ipv6.address': 'none',
  'dns.mode': 'none',
  'security.acls': NAMES.acl,
  'security.acls.default.egress.action': 'allow',
  'security.acls.default.ingress.action': 'drop',
} as const;

/** What a service may do in the project; it makes unprivileged containers on that network only. */
export const projectConfig = {
  'features.images': 'true',
  'features.profiles': 'true',
  'features.storage.volumes': 'true',
  'features.networks': 'false',
  restricted: 'true',
  'restricted.cluster.target': 'allow',
  'restricted.snapshots': 'allow',
  'restricted.containers.privilege': 'isolated',
  'restricted.containers.nesting': 'block',
  'restricted.devices.nic': 'managed',
  'restricted.devices.disk': 'managed',
  'restricted.networks.access': NAMES.network,
  [PROJECT_KEY.pool]: NAMES.pool,
  [PROJECT_KEY.network]: NAMES.network,
  [PROJECT_KEY.gateway]: GATEWAY,
} as const;
