import { BlockList, isIP } from 'node:net';

/**
 * IPv4 networks that a host or its neighbours may be in, from IANA's special-purpose address
 * registry: https://www.iana.org/assignments/iana-ipv4-special-registry, and public addresses that
 * clouds use for the same. A security boundary:
 * machines may not connect to them.
 */
export const INTERNAL_IPV4_NETWORKS: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers' NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's service for virtual machines, with their configuration
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '224.0.0.0/3', // multicast, reserved, broadcast
];

/** IPv4 networks that are not the public internet: a security boundary for targets of streams. */
export const SPECIAL_IPV4_NETWORKS: readonly string[] = [
  ...INTERNAL_IPV4_NETWORKS,
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
];

/**
 * IPv6 networks that are not the public internet: all but global unicast (2000::/3), and within it
 * those of https://www.iana.org/assignments/iana-ipv6-special-registry that carry IPv4 or have a
 * special use.
 */
const SPECIAL_IPV6_NETWORKS: readonly string[] = [
  '::/3', // loopback, IPv4-mapped, NAT64, discard-only
  '2001::/23', // protocol assignments, with Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
  '4000::/2', // unassigned, with segment routing
  '8000::/1', // unassigned, unique local, link-local, multicast
];

// Two lists, because an IPv6 network also matches the IPv4 addresses that it maps.
const special = {
  4: blockList(SPECIAL_IPV4_NETWORKS, 'ipv4'),
  6: blockList(SPECIAL_IPV6_NETWORKS, 'ipv6'),
};

/** True for an IP address on the public internet. False for an IPv4-mapped IPv6 address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special[4].check(address, 'ipv4');
  return family === 6 && !special[6].check(address, 'ipv6');
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
