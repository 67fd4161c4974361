import { type ComputerNetwork, isRestricted } from '../../../contract/resources/network.js';
import { allowRules, allowSets, hasDomains, nameServerSettings } from '../../network/allow-list.js';
import { type Throttle, throttleOf } from '../../network/throttle.js';
import { DNS_ADDRESS } from './addresses.js';
import { NAME_SERVER_PORT, REDIRECTED_QUERIES } from './firewall-rules.js';

const TABLE = 'inet vc_machine';

/** The source port of dnsmasq's own queries; not ephemeral, so QEMU has none like it. */
const QUERY_PORT = 29_054;

/** What a machine's own policy needs in its network namespace. */
export interface MachinePolicy {
  /** nft commands that replace the table of an earlier policy. */
  readonly rules: string;
  /** Configuration of its dnsmasq; empty without domains. */
  readonly names: string;
  readonly throttle: Throttle;
}

/**
 * A table before that of {@link machineRules}, which still applies to what this one accepts. Queries over
 * UDP go to a dnsmasq in the namespace; those over TCP are refused, since those of dnsmasq itself could
 * not be distinguished.
 */
export function machinePolicy(network: ComputerNetwork): MachinePolicy {
  const cleared = `table ${TABLE}\ndelete table ${TABLE}\n`;
  const throttle = throttleOf(network);
  if (!isRestricted(network)) return { rules: cleared, names: '', throttle };
  const isNamed = hasDomains(network);
  const queries = `chain names {
    type nat hook output priority -100; policy accept;
    oifname != "lo" udp dport 53 udp sport != ${QUERY_PORT} redirect to :${NAME_SERVER_PORT}
  }`;
  const rules = `${cleared}table ${TABLE} {
  ${allowSets(network).join('\n  ')}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  ${isNamed ? queries : ''}
  chain output {
    type filter hook output priority -1; policy accept;
    oifname "lo" accept
    ${isNamed ? `${REDIRECTED_QUERIES} accept` : ''}
    ${isNamed ? `ip daddr ${DNS_ADDRESS} udp dport 53 udp sport ${QUERY_PORT} accept` : ''}
    ${allowRules(network).join('\n    ')}
    goto refuse
  }
}
`;
  if (!isNamed) return { rules, names: '', throttle };
  const listen = [`port=${NAME_SERVER_PORT}`, 'bind-interfaces', 'listen-address=127.0.0.1'];
  const settings = nameServerSettings(network, {
    table: 'vc_machine',
    upstream: [DNS_ADDRESS],
  });
  const names = [...listen, `query-port=${QUERY_PORT}`, ...settings, ''].join('\n');
  return { rules, names, throttle };
}
