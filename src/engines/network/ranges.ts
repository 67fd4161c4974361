import { formatCidr, overlap, parseCidr } from './cidr.js';

/**
 * Everything that is not the public internet (IANA's special-purpose registry): this network,
 * private, shared, loopback, link-local with clouds' metadata services, protocol assignments,
 * benchmarking, multicast, reserved. Documentation ranges lead nowhere and stay out of it.
 */
export const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
];

/** True when the host has opened every network, so that there is nothing to close. */
export function isOpen(allowNetworks: readonly string[]): boolean {
  return allowNetworks.some((network) => parseCidr(network).bits === 0);
}

/** The same networks without those that another one contains: nft refuses sets that overlap. */
export function withoutContained(networks: readonly string[]): string[] {
  const ranges = networks.map(parseCidr).sort((one, other) => one.bits - other.bits);
  return ranges
    .filter((range, index) => !ranges.slice(0, index).some((wider) => overlap(wider, range)))
    .map(formatCidr);
}

/** An nft set of networks. */
export function addressSet(name: string, networks: readonly string[]): string {
  const ranges = withoutContained(networks);
  const elements = ranges.length > 0 ? `elements = { ${ranges.join(', ')} };` : '';
  return `set ${name} { type ipv4_addr; flags interval; ${elements} }`;
}
