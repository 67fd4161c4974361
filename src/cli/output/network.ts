import type { ComputerNetwork } from '../../contract/resources/network.js';

/** `internet`, `none` or `allow=example.com,10.0.0.0/8`. */
export function shownNetwork(network: ComputerNetwork): string {
  return typeof network === 'string' ? network : `allow=${network.allow.join(',')}`;
}
