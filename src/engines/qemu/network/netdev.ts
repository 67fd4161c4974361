import { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY, GUEST_NETWORK, RELAY_PORT } from './addresses.js';
import type { MachineNetwork } from './plan.js';

/**
 * QEMU's arguments for the guest's network, `net0`; the device is the caller's. `relayPort` is the
 * guest's port that the machine's socket leads to, where the network can lead there.
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
  // Without a namespace it would be a port of the host's.
  if (relayPort !== undefined && network.mode !== 'restricted') {
    options.push(`hostfwd=tcp:127.0.0.1:${RELAY_PORT}-${GUEST_ADDRESS}:${relayPort}`);
  }
  return ['-netdev', options.join(',')];
}
