import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { type ComputerNetwork, isRestricted } from '../../../contract/resources/network.js';
import { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY, GUEST_NETWORK, RELAY_PORT } from './addresses.js';
import { type Counting, machineRules, type NetworkPolicy } from './firewall-rules.js';
import { type MachinePolicy, machinePolicy } from './machine-policy.js';

export type NetworkMode =
  /** A network namespace with filtered access to the outside. */
  | 'filtered'
  /** A network namespace without access to the outside. */
  | 'isolated'
  /** The host allows no namespaces; QEMU itself blocks all traffic. */
  | 'restricted';

/** Whether machines can have a filtered network on this host; if not, why and how to fix it. */
export type NetworkProbe =
  | { readonly usable: true; readonly counting: Counting; readonly detail: string }
  | {
      readonly usable: false;
      /** Network namespaces work, only filtering does not. */
      readonly namespaces: boolean;
      readonly reason: string;
      readonly remedy: string;
    };

/** The guest's network configuration. */
export interface GuestNetwork {
  /** In CIDR notation. */
  readonly address: string;
  readonly gateway: string;
  readonly dns: readonly string[];
}

/** A machine's network from its start on. */
export interface MachineNetwork {
  readonly mode: NetworkMode;
  /** Null without network access. */
  readonly guest: GuestNetwork | null;
  /** nft rules; empty without network access. */
  readonly rules: string;
  /** Configuration of a dnsmasq in its namespace; empty for none. */
  readonly names: string;
  readonly throttle?: MachinePolicy['throttle'];
  /** The host's addresses that the rules block. */
  readonly hostAddresses: readonly string[];
}

/** The network for a machine that starts now, with the host's present addresses. */
export async function planNetwork(
  probe: NetworkProbe,
  policy: NetworkPolicy,
  network: ComputerNetwork = 'internet',
): Promise<MachineNetwork> {
  const wanted = policy.internet || policy.allowNetworks.length > 0;
  if (!probe.usable || !wanted) {
    const mode = probe.usable || probe.namespaces ? 'isolated' : 'restricted';
    return { mode, guest: null, rules: '', names: '', hostAddresses: [] };
  }
  const addresses = await hostAddresses();
  const { rules, names, throttle } = machinePolicy(network);
  return {
    mode: 'filtered',
    guest: {
      address: `${GUEST_ADDRESS}/24`,
      gateway: GUEST_GATEWAY,
      dns: policy.internet ? [GUEST_DNS] : [],
    },
    rules: machineRules(policy, addresses, probe.counting) + (isRestricted(network) ? rules : ''),
    names,
    throttle,
    hostAddresses: addresses,
  };
}

/** All local IPv4 addresses and networks of this host, sorted, in CIDR notation. */
export async function hostAddresses(): Promise<string[]> {
  const table = await readFile('/proc/net/fib_trie', 'utf8').catch(() => undefined);
  const found = table === undefined ? fromInterfaces() : localRoutes(table);
  return [...new Set(found)].sort();
}

/** The local routes in the text of /proc/net/fib_trie. */
export function localRoutes(table: string): string[] {
  const found: string[] = [];
  let address = '';
  for (const line of table.split('\n')) {
    address = /(?:\|--|\+--) (\d+\.\d+\.\d+\.\d+)/.exec(line)?.[1] ?? address;
    const bits = /\/(\d+) \S+ LOCAL\b/.exec(line)?.[1];
    if (bits !== undefined && Number(bits) > 0) found.push(`${address}/${bits}`);
  }
  return found;
}

function fromInterfaces(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => `${address}/32`);
}

/**
 * QEMU's arguments for the network backend `net0`, without a device. `relayPort` is the guest's
 * port that the machine's socket connects to; ignored in mode `restricted`.
 */
export function netdevArguments(network: MachineNetwork, relayPort?: number): string[] {
  const options = [
    'user',
    'id=net0',
    'ipv6=off',
    `net=${GUEST_NETWORK}`,
    `host=${GUEST_GATEWAY}`,
    `dns=${GUEST_DNS}`,
    `dhcpstart=${GUEST_ADDRESS}`,
  ];
  if (network.mode !== 'filtered') options.push('restrict=on');
  // Without a namespace this would open a port on the host.
  if (relayPort !== undefined && network.mode !== 'restricted') {
    options.push(`hostfwd=tcp:127.0.0.1:${RELAY_PORT}-${GUEST_ADDRESS}:${relayPort}`);
  }
  return ['-netdev', options.join(',')];
}
