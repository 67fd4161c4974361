import { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY, GUEST_NETWORK, RELAY_PORT } from './addresses.js';
import type { MachineNetwork } from './plan.js';

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
