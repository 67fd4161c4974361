import { promises as dns, type LookupAddress } from 'node:dns';
import { isPublicAddress } from '../lib/net/special-networks.js';
import { messageOf, targetFailed, targetRefused } from './errors.js';
import type { Target } from './target.js';

export interface AddressRules {
  /** Allows loopback, private and link-local targets too. */
  readonly allowPrivate: boolean;
  /** Resolves names; by default with the system's resolver. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** Resolves and checks the addresses of a target; the caller may connect only to these. */
export async function resolveTarget(target: Target, rules: AddressRules): Promise<string[]> {
  const { host, label } = target;
  const lookup = rules.lookup ?? ((name) => dns.lookup(name, { all: true, verbatim: true }));
  const found = await lookup(host).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : messageOf(cause);
    throw targetFailed(label, `the name ${host} has no address (${code})`, cause);
  });
  const addresses = found.map(({ address }) => address);
  if (addresses.length === 0) throw targetFailed(label, `the name ${host} has no address`);
  const refused = rules.allowPrivate ? undefined : addresses.find((each) => !isPublicAddress(each));
  if (refused === undefined) return addresses;
  throw targetRefused(
    `${label} is at ${refused}, which is not on the public internet and needs --allow-private-rtmp.`,
    'Restart the service with: vc serve --allow-private-rtmp',
  );
}
