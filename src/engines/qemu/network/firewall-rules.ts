import { hostNetworks, withoutContained } from '../../../lib/net/cidr.js';
import { nftSet } from '../../../lib/net/nft-set.js';
import { INTERNAL_IPV4_NETWORKS } from '../../../lib/net/special-networks.js';
import { DNS_ADDRESS } from './addresses.js';

export interface NetworkPolicy {
  /** Whether machines may reach the public internet. */
  readonly internet: boolean;
  /**
   * Further IPv4 networks that machines may reach. An address of the host itself is only reachable
   * if it is named as a /32, or if everything is allowed.
   */
  readonly allowNetworks: readonly string[];
}

/** Whether new connections are rate-limited, which not every kernel supports. */
export type Counting = 'rate' | 'no rate';

/** Of the name server of a machine that has a list of domains; not ephemeral. */
export const NAME_SERVER_PORT = 29_053;

/** Matches queries that were redirected to it. */
export const REDIRECTED_QUERIES = `ct status dnat ip daddr 127.0.0.1 udp dport ${NAME_SERVER_PORT}`;

const TABLE = 'inet vc';

/**
 * nft rules for a machine's network namespace, in which the guest's traffic appears as QEMU's own
 * connections. They reject instead of dropping, so that programs fail at once instead of timing
 * out. IPv6 is blocked.
 */
export function machineRules(
  policy: NetworkPolicy,
  hostAddresses: readonly string[],
  counting: Counting,
): string {
  const { internet, allowNetworks } = policy;
  return `table ${TABLE} {
  ${nftSet('closed', INTERNAL_IPV4_NETWORKS)}
  ${nftSet('allowed', allowNetworks)}
  ${nftSet('allowed_hosts', hostNetworks(allowNetworks))}
  ${nftSet('host', hostAddresses)}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain output {
    type filter hook output priority 0; policy drop;
    oifname "lo" accept
    ${internet ? `${REDIRECTED_QUERIES} accept` : ''}
    ct state established,related accept
    ${counting === 'rate' ? 'ct state new limit rate over 200/second burst 2000 packets drop' : ''}
    ip daddr @allowed_hosts accept
    ${internet ? `ip daddr ${DNS_ADDRESS} udp dport 53 accept` : ''}
    ${internet ? `ip daddr ${DNS_ADDRESS} tcp dport 53 accept` : ''}
    ip daddr @host goto refuse
    ip daddr @allowed accept
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

/** nft commands that replace the host's addresses in active rules, in one transaction. */
export function replaceHostAddresses(hostAddresses: readonly string[]): string {
  const ranges = withoutContained(hostAddresses);
  const added = ranges.length > 0 ? `add element ${TABLE} host { ${ranges.join(', ')} }\n` : '';
  return `flush set ${TABLE} host\n${added}`;
}
