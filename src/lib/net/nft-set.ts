import { withoutContained } from './cidr.js';

/** The definition of an nftables set of IPv4 networks. nft refuses elements that overlap. */
export function nftSet(name: string, networks: readonly string[]): string {
  const ranges = withoutContained(networks);
  const elements = ranges.length > 0 ? `elements = { ${ranges.join(', ')} };` : '';
  return `set ${name} { type ipv4_addr; flags interval; ${elements} }`;
}
