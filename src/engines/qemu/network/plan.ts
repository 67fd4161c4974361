import { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY } from './addresses.js';
import { type Counting, machineRules, type NetworkPolicy } from './firewall-rules.js';
import { hostAddresses } from './host-addresses.js';

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
  /** The host's addresses that the rules block. */
  readonly hostAddresses: readonly string[];
}

/** The network for a machine that starts now, with the host's present addresses. */
export async function planNetwork(
  probe: NetworkProbe,
  policy: NetworkPolicy,
): Promise<MachineNetwork> {
  const wanted = policy.internet || policy.allowNetworks.length > 0;
  if (!probe.usable || !wanted) {
    const mode = probe.usable || probe.namespaces ? 'isolated' : 'restricted';
    return { mode, guest: null, rules: '', hostAddresses: [] };
  }
  const addresses = await hostAddresses();
  return {
    mode: 'filtered',
    guest: {
      address: `${GUEST_ADDRESS}/24`,
      gateway: GUEST_GATEWAY,
      dns: policy.internet ? [GUEST_DNS] : [],
    },
    rules: machineRules(policy, addresses, probe.counting),
    hostAddresses: addresses,
  };
}
