import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { lookUp } from '../lib/net/look-up.js';
import { isPublicAddress } from '../lib/net/special-networks.js';
import { messageOf, targetFailed, targetRefused } from './errors.js';
import type { Endpoint } from './target.js';

export interface AddressRules {
  /** Allows loopback, private and link-local targets too. */
  readonly allowPrivate: boolean;
  /** The addresses of a name; by default of the hosts file and DNS. */
  readonly lookup?: (host: string, signal?: AbortSignal) => Promise<readonly string[]>;
  /** Addresses of the host; replaced in tests. */
  readonly ownAddresses?: () => readonly string[];
}

/** Resolves and checks the addresses of a target; the caller may connect only to these. */
export async function resolveTarget(
  target: Pick<Endpoint, 'host' | 'label'>,
  rules: AddressRules,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { host, label } = target;
  const addresses = await (rules.lookup ?? lookUp)(host, signal).catch((cause: unknown) => {
    signal?.throwIfAborted();
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : messageOf(cause);
    throw targetFailed(label, `the name ${host} has no address (${code})`, cause);
  });
  if (addresses.length === 0) throw targetFailed(label, `the name ${host} has no address`);
  if (rules.allowPrivate) return addresses;
  const refused = addresses.find((each) => !isPublicAddress(each));
  if (refused !== undefined) throw notAllowed(label, refused, 'is not on the public internet');
  const own = new BlockList();
  for (const each of (rules.ownAddresses ?? ownAddresses)()) own.addAddress(each, familyOf(each));
  const ofHost = addresses.find((each) => own.check(each, familyOf(each)));
  if (ofHost !== undefined) throw notAllowed(label, ofHost, "is the service's own host");
  return addresses;
}

/** The host trusts itself: a firewall in front of it does not see these connections. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address),
  );
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function notAllowed(label: string, address: string, why: string): Error {
  return targetRefused(
    `${label} is at ${address}, which ${why} and needs --allow-private-targets.`,
    'Restart the service with: vc serve --allow-private-targets',
  );
}
