import { createHash } from 'node:crypto';
import { type ComputerNetwork, isRestricted } from '../../../contract/resources/network.js';
import { allowRules, allowSets, hasDomains, nameServerSettings } from '../../network/allow-list.js';
import { type Throttle, throttleOf } from '../../network/throttle.js';
import { bridgePrefix } from '../ids.js';
import { NAME_SERVER_PORT, REDIRECTED, tableName } from './firewall-rules.js';

/** What the guard needs for the network of a machine. */
export interface Policy {
  readonly rules: string;
  /** Configuration of its dnsmasq; empty without domains. */
  readonly names: string;
  /** The queues of its bridge: {@link linesOfThrottle}. */
  readonly throttle: string;
}

interface PolicyParts {
  readonly serviceId: string;
  readonly bridge: string;
  /** Name servers to ask for the domains. */
  readonly resolvers: readonly string[];
}

/**
 * A table of its own for each machine with a policy, before the service's table, which still
 * applies to what this one accepts: a policy only narrows. Packets of open connections are checked
 * like others, so that a change is in force at once.
 */
export function policyOf(network: ComputerNetwork, parts: PolicyParts): Policy {
  const { serviceId, bridge, resolvers } = parts;
  const name = `${tableName(serviceId)}_${bridge.slice(bridgePrefix(serviceId).length)}`;
  const table = `table inet ${name}`;
  const isNamed = hasDomains(network);
  const ofMachine = `iifname "${bridge}"`;
  const restriction = `${allowSets(network).join('\n  ')}
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type admin-prohibited
  }
  chain allowed {
    ${allowRules(network).join('\n    ')}
    goto refuse
  }
  chain names {
    type nat hook prerouting priority -101; policy accept;
    ${isNamed ? `${ofMachine} meta l4proto { tcp, udp } th dport 53 redirect to :${NAME_SERVER_PORT}` : ''}
  }
  chain input {
    type filter hook input priority -11; policy accept;
    ${isNamed ? `${ofMachine} ${REDIRECTED} return` : ''}
    ${ofMachine} goto allowed
  }
  chain forward {
    type filter hook forward priority -11; policy accept;
    ${ofMachine} goto allowed
  }`;
  const rules = (digest: string) => `${table}
delete ${table}
${table} {
  comment "${digest}"
  ${isRestricted(network) ? restriction : ''}
}
`;
  const settings = nameServerSettings(network, { table: name, upstream: resolvers });
  const listen = [`port=${NAME_SERVER_PORT}`, 'bind-dynamic', `interface=${bridge}`];
  const names = isNamed ? [...listen, 'except-interface=lo', ...settings, ''].join('\n') : '';
  const digest = createHash('sha256').update(rules('')).digest('hex').slice(0, 32);
  return { rules: rules(digest), names, throttle: linesOfThrottle(throttleOf(network)) };
}

/** As the guard takes it; empty for none. */
export function linesOfThrottle({ egress, ingress }: Throttle): string {
  return egress === '' ? '' : `${egress}\n${ingress}\n`;
}
