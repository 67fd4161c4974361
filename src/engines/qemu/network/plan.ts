import { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY } from './addresses.js';
import { hostAddresses } from './host-addresses.js';
import type { NetworkProbe } from './probe.js';
import { machineRules, type NetworkPolicy } from './rules.js';

export type { NetworkPolicy } from './rules.js';

export type NetworkMode =
  /** A network namespace of its own whose only way out is filtered. */
  | 'filtered'
  /** A namespace of its own without a way out. */
  | 'isolated'
  /** The host allows no namespaces: QEMU itself lets nothing out. */
  | 'restricted';

/** What a guest is told about its network. */
export interface GuestNetwork {
  /** With the prefix's length. */
  readonly address: string;
  readonly gateway: string;
  readonly dns: readonly string[];
}

/** How a machine that is started now is connected. */
export interface MachineNetwork {
  readonly mode: NetworkMode;
  /** Null where nothing can be reached. */
  readonly guest: GuestNetwork | null;
  /** For nft; empty where nothing can be reached. */
  readonly rules: string;
  /** The host's own addresses that the rules close. */
  readonly hostAddresses: readonly string[];
}

/** What the host can do and what it allows, for one start of a machine. */
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
