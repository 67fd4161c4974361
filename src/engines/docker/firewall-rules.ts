import { addressSet, NOT_PUBLIC } from '../network/ranges.js';
import { bridgePrefix, serviceHash } from './ids.js';

export interface FirewallPolicy {
  readonly serviceId: string;
  /** May computers reach the public internet? */
  readonly internet: boolean;
  /** Networks that the host opens for them all the same. */
  readonly allowNetworks: readonly string[];
  /** The Engine's name servers, which computers may ask though their addresses be private. */
  readonly resolvers: readonly string[];
}

export function tableName(serviceId: string): string {
  return `vc_${serviceHash(serviceId).slice(0, 12)}`;
}

/**
 * A table of our own for nft, replaced as a whole. It looks at packets before the Engine's rules
 * and only at those of this service's bridges; what it lets pass still goes through the Engine's.
 * It refuses instead of dropping, so that programs fail at once instead of waiting.
 *
 * `rate` limits new connections, so that no computer can fill the host's connection tracking; it
 * needs kernel support that not every host has.
 */
export function firewallRules(policy: FirewallPolicy, rate: 'rate' | 'no rate'): string {
  const table = `table inet ${tableName(policy.serviceId)}`;
  const bridges = `"${bridgePrefix(policy.serviceId)}*"`;
  const limited = rate === 'rate';
  return `${table}
delete ${table}
${table} {
  ${addressSet('closed', NOT_PUBLIC)}
  ${addressSet('allowed', policy.allowNetworks)}
  ${addressSet('resolvers', policy.internet ? policy.resolvers : [])}
  ${limited ? 'set recent { type ifname; size 65535; flags dynamic, timeout; timeout 1m; }' : ''}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain opened {
    ct state established,related accept
    ${limited ? 'update @recent { iifname limit rate over 200/second burst 2000 packets } drop' : ''}
    ip daddr @allowed accept
    ip daddr @resolvers udp dport 53 accept
    ip daddr @resolvers tcp dport 53 accept
  }
  chain to_host {
    jump opened
    goto refuse
  }
  chain to_networks {
    jump opened
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
