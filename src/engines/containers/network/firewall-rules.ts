import { hostNetworks } from '../../../lib/net/cidr.js';
import { nftSet } from '../../../lib/net/nft-set.js';
import { INTERNAL_IPV4_NETWORKS } from '../../../lib/net/special-networks.js';
import { bridgePrefix, serviceHash, throttlePrefix } from '../ids.js';

export interface FirewallPolicy {
  readonly serviceId: string;
  /** May computers reach the public internet? */
  readonly internet: boolean;
  /**
   * Further networks that computers may reach. An address of the host itself is only reachable if
   * it is named as a /32, or if everything is allowed.
   */
  readonly allowNetworks: readonly string[];
  /** The Engine's name servers, which computers may reach even at private addresses. */
  readonly resolvers: readonly string[];
}

/** New connections per second, and connections at once; see {@link MOST_CONNECTIONS}. */
export type Limits = 'rate and count' | 'rate' | 'none';

/**
 * Open connections of a computer. The host's table has 262,144 entries, and keeps those of connections
 * that are never closed for five days.
 */
const MOST_CONNECTIONS = 4096;

/** Of the name servers of restricted machines, each on the address of its bridge; not ephemeral. */
export const NAME_SERVER_PORT = 29_053;

/** Matches DNS queries that were redirected to {@link NAME_SERVER_PORT}. */
export const REDIRECTED = `meta l4proto { tcp, udp } ct status dnat ct original proto-dst 53 th dport ${NAME_SERVER_PORT}`;

export function tableName(serviceId: string): string {
  return `vc_${serviceHash(serviceId).slice(0, 12)}`;
}

/**
 * The service's own nft table, replaced as a whole. It filters packets of this service's bridges
 * before the Engine's rules, which still apply to accepted packets. It rejects instead of dropping,
 * so that programs fail at once instead of timing out.
 *
 * `limits` are those of connections, so that no computer can fill the host's connection tracking; not
 * every kernel supports them.
 */
export function firewallRules(policy: FirewallPolicy, limits: Limits): string {
  const table = `table inet ${tableName(policy.serviceId)}`;
  const bridges = `"${bridgePrefix(policy.serviceId)}*"`;
  const [hasRate, hasCount] = [limits !== 'none', limits === 'rate and count'];
  return `${table}
delete ${table}
${table} {
  ${nftSet('closed', INTERNAL_IPV4_NETWORKS)}
  ${nftSet('allowed', policy.allowNetworks)}
  ${nftSet('allowed_hosts', hostNetworks(policy.allowNetworks))}
  ${nftSet('resolvers', policy.internet ? policy.resolvers : [])}
  ${hasRate ? 'set recent { type ifname; size 65535; flags dynamic, timeout; timeout 1m; }' : ''}
  ${hasCount ? 'set held { type ifname; size 65535; flags dynamic; }' : ''}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain opened {
    ct state established,related accept
    ${hasRate ? 'update @recent { iifname limit rate over 200/second burst 2000 packets } drop' : ''}
    ${hasCount ? `ct state new add @held { iifname ct count over ${MOST_CONNECTIONS} } drop` : ''}
    ip daddr @resolvers udp dport 53 accept
    ip daddr @resolvers tcp dport 53 accept
  }
  chain to_host {
    jump opened
    ${policy.internet ? `${REDIRECTED} accept` : ''}
    ip daddr @allowed_hosts accept
    goto refuse
  }
  chain to_networks {
    jump opened
    ip daddr @allowed accept
    ip daddr @closed goto refuse
    ${policy.internet ? 'meta nfproto ipv4 accept' : ''}
    goto refuse
  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname ${bridges} goto to_host
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    oifname ${bridges} ct state established,related accept
    oifname ${bridges} goto refuse
    iifname ${bridges} goto to_networks
  }
}
`;
}

const REMOVAL = `nft list tables inet | while read -r _ _ name; do
  case $name in "$1" | "$1"_* | "check_$1") nft delete table inet "$name" ;; esac
done
ip -o link show type ifb | while read -r _ name _; do
  case $name in "$2"*) ip link del "\${name%:}" ;; esac
done`;

/** A command that removes the table of a service and those of its machines, and what throttles them. */
export function removalOf(table: string): string[] {
  return ['bash', '-c', REMOVAL, 'vc', table, throttlePrefix(table.replace('_', ''))];
}
