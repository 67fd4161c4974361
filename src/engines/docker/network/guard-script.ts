import { bridgePrefix } from '../ids.js';
import { type FirewallPolicy, firewallRules, type Limits, tableName } from './firewall-rules.js';
import { REMOVE_STALE_CONNECTIONS } from './stale-connections.js';
import { SUBNET_POOL } from './subnets.js';

/** Interval at which the guard compares the kernel's rules with its own. */
const EVERY_S = 2;
/** Connections of networks that are gone are removed when this part of the kernel's table is in use. */
const STALE_ABOVE = 1 / 4;
/** Shortest time between two removals. */
const STALE_EVERY_S = 10;
const LIMITS: readonly Limits[] = ['rate and count', 'rate', 'none'];

/**
 * Keeps the rules loaded for as long as it runs: COUNT RATE PLAIN TABLE BRIDGES PYTHON POOL. The
 * first three are the rules with fewer and fewer limits, for kernels that do not support all; the last
 * two remove stale connections. It works without the service. Rules that were removed or changed are
 * loaded again. While that fails, the bridges of all machines are down, so that machines reach nothing.
 *
 * A line on standard input triggers a check, answered by `LINE ok` or `LINE failed REASON`; `end`
 * removes the table. Changes found by periodic checks are reported with `-` as LINE.
 *
 * The kernel prints rules in its own form, so a listing made after loading is what later ones are
 * compared with. Another program may change the rules between the two, so they are loaded until two
 * listings in a row are the same.
 */
const GUARD = `
count=$1 rate=$2 plain=$3 table=$4 bridges=$5 python=$6 pool=$7 expected= state= line= first= error=
listed() {
  nft -s list table inet "$table" 2>/dev/null | sed '/set \\(recent\\|held\\) {/,/^\\t}/d'
}
load() {
  error=$(nft "$count" 2>&1) || error=$(nft "$rate" 2>&1) || error=$(nft "$plain" 2>&1)
}
lay() {
  for attempt in 1 2 3 4; do
    load || return 1
    first=$(listed)
    load || return 1
    expected=$(listed)
    [ -n "$expected" ] && [ "$first" = "$expected" ] && return
  done
  error="another program changes the rules"
  return 1
}
links() {
  ip -o link show type bridge | while read -r index name rest; do
    case $name in "$bridges"*) ip link set "\${name%:}" "$1" ;; esac
  done
}
next_removal=0
remove_stale() {
  ((SECONDS >= next_removal)) || return
  local entries most
  { read -r entries </proc/sys/net/netfilter/nf_conntrack_count; } 2>/dev/null || return
  { read -r most </proc/sys/net/netfilter/nf_conntrack_max; } 2>/dev/null || return
  ((entries * ${1 / STALE_ABOVE} > most)) || return
  next_removal=$((SECONDS + ${STALE_EVERY_S}))
  # It may take seconds: not in the way of a check.
  timeout 60 python3 -c "$python" "$pool" >/dev/null 2>&1 &
}
while [ "$line" != end ]; do
  if [ -n "$expected" ] && [ "$(listed)" = "$expected" ]; then next=ok
  elif lay; then links up; next=ok
  else links down; expected= next="failed \${error%%$'\\n'*}"
  fi
  if [ -n "$line" ] || [ "$next" != "$state" ]; then echo "\${line:--} $next"; fi
  state=$next line=
  remove_stale
  read -r -t ${EVERY_S} line
  # End of input instead of a timeout: do not spin.
  [ $? = 1 ] && sleep ${EVERY_S}
done
nft delete table inet "$table"
echo ended
exec sleep infinity
`;

/** The command of a policy's guard; it needs bash, nft, ip and Python, and NET_ADMIN in the host's network. */
export function guardCommand(policy: FirewallPolicy): string[] {
  return [
    ...['bash', '-c', GUARD, 'vc-firewall'],
    ...LIMITS.map((limits) => firewallRules(policy, limits)),
    ...[tableName(policy.serviceId), bridgePrefix(policy.serviceId)],
    ...[REMOVE_STALE_CONNECTIONS, SUBNET_POOL],
  ];
}
