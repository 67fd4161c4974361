import { addressSet, NOT_PUBLIC, withoutContained } from '../../network/ranges.js';
import { DNS_ADDRESS } from './addresses.js';

export interface NetworkPolicy {
  /** May machines reach the public internet? */
  readonly internet: boolean;
  /** Networks that the host opens for them all the same. */
  readonly allowNetworks: readonly string[];
}

/** Whether new connections can be counted, which needs kernel support that not every host has. */
export type Counting = 'rate' | 'no rate';

const TABLE = 'inet vc';

/**
 * Rules for nft inside a machine's own network namespace, where everything that QEMU sends for its
 * guest goes out as its own connections. They refuse instead of dropping, so that programs fail at
 * once instead of waiting; IPv6 does not leave at all.
 */
export function machineRules(
  policy: NetworkPolicy,
  hostAddresses: readonly string[],
  counting: Counting,
): string {
  const { internet, allowNetworks } = policy;
  return `table ${TABLE} {
  ${addressSet('closed', NOT_PUBLIC)}
  ${addressSet('allowed', allowNetworks)}
  ${addressSet('host', hostAddresses)}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain output {
    type filter hook output priority 0; policy drop;
    oifname "lo" accept
    ct state established,related accept
    ${counting === 'rate' ? 'ct state new limit rate over 200/second burst 2000 packets drop' : ''}
    ip daddr @allowed accept
    ${internet ? `ip daddr ${DNS_ADDRESS} udp dport 53 accept` : ''}
    ${internet ? `ip daddr ${DNS_ADDRESS} tcp dport 53 accept` : ''}
    ip daddr @host goto refuse
    ip daddr @closed goto refuse
    ${internet ? 'meta nfproto ipv4 accept' : ''}
    goto refuse
  }
  chain input {
    type filter hook input priority 0; policy drop;
    iifname "lo" accept
    ct state established,related accept
  }
  chain forward {
    type filter hook forward priority 0; policy drop;
  }
}
`;
}

/** Replaces the host's addresses in rules that are in force, at once. */
export function replaceHostAddresses(hostAddresses: readonly string[]): string {
  const ranges = withoutContained(hostAddresses);
  const added = ranges.length > 0 ? `add element ${TABLE} host { ${ranges.join(', ')} }\n` : '';
  return `flush set ${TABLE} host\n${added}`;
}
