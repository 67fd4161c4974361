import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { messageOf, targetFailed, targetRefused } from './errors.js';
import type { Target } from './target.js';

/** Ranges that are not the public internet (IANA special-purpose address registries). */
const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}
// Of IPv6 only 2000::/3 is public; within it are ranges that carry IPv4 or are for documents.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(network, bits, 'ipv6');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** True for an address on the public internet. One of IPv4 written as IPv6 is none. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

export interface AddressRules {
  /** Loopback, private and link-local targets as well. */
  readonly allowPrivate: boolean;
  /** How names become addresses; the system's way if left out. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** The addresses of a target; all of them have been checked, and only they may be connected to. */
export async function resolveTarget(target: Target, rules: AddressRules): Promise<string[]> {
  const { host, label } = target;
  const lookup = rules.lookup ?? ((name) => dns.lookup(name, { all: true, verbatim: true }));
  const found = await lookup(host).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : messageOf(cause);
    throw targetFailed(label, `the name ${host} has no address (${code})`, cause);
  });
  const addresses = found.map(({ address }) => address);
  if (addresses.length === 0) throw targetFailed(label, `the name ${host} has no address`);
  const refused = rules.allowPrivate ? undefined : addresses.find((each) => !isPublic(each));
  if (refused === undefined) return addresses;
  throw targetRefused(
    `${label} is at ${refused}, which is not on the public internet; whoever runs the service can allow that: vc serve --allow-private-rtmp.`,
  );
}
