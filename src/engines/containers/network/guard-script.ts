import { COLLECT_REFUSED } from '../../network/refused-names.js';
import { THROTTLE } from '../../network/throttle.js';
import { bridgePrefix, throttlePrefix } from '../ids.js';
import { type FirewallPolicy, firewallRules, type Limits, tableName } from './firewall-rules.js';
import { SUBNET_POOL } from './subnets.js';

/**
 * Python: removes the connections of networks that are gone from the kernel's connection tracking,
 * where they would stay for five days. Argument: the pool of these networks. A connection is removed
 * if its source is in the pool and no route to a part of the pool leads there.
 *
 * Speaks to the kernel as libnetfilter_conntrack does: a dump, then a message for each removal
 * (include/uapi/linux/netfilter/nfnetlink_conntrack.h).
 */
const REMOVE_STALE_CONNECTIONS = `import socket, struct, subprocess, sys
from ipaddress import ip_address, ip_network

POOL = ip_network(sys.argv[1])
NETFILTER, REQUEST, DUMP, ACK = 12, 1, 0x300, 4
GET, DELETE, ERROR, DONE = 0x101, 0x102, 2, 3
TUPLE, ADDRESSES, SOURCE = 1, 1, 1
IPV4 = struct.pack('=BBH', socket.AF_INET, 0, 0)
kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER)
kernel.settimeout(10)

def send(kind, flags, body=b''):
    kernel.send(struct.pack('=IHHII', 20 + len(body), kind, flags, 0, 0) + IPV4 + body)

def messages():
    """The kernel's messages: the kind of each, and what follows its header."""
    while True:
        data = kernel.recv(1 << 16)
        while data:
            length, kind = struct.unpack('=IH', data[:6])
            yield kind, data[16:length]
            data = data[-(-length // 4) * 4:]

def attribute(data, wanted):
    """An attribute with its header, and without; empty if there is none."""
    while len(data) >= 4:
        length, kind = struct.unpack('=HH', data[:4])
        if length < 4:
            break
        if kind & 0x3fff == wanted:
            return data[:-(-length // 4) * 4], data[4:length]
        data = data[-(-length // 4) * 4:]
    return b'', b''

found = []
send(GET, REQUEST | DUMP)
for kind, body in messages():
    if kind in (ERROR, DONE):
        break
    whole, inner = attribute(body[4:], TUPLE)
    source = attribute(attribute(inner, ADDRESSES)[1], SOURCE)[1]
    if len(source) == 4 and ip_address(source) in POOL:
        found.append((ip_address(source), whole))
# Read after the dump: networks that came meanwhile have no connections in it.
lines = subprocess.run(['ip', '-4', 'route', 'show', 'table', 'all'], capture_output=True, text=True, check=True).stdout
routes = []
for line in lines.splitlines():
    words = [word for word in line.split() if word not in ('unicast', 'local', 'broadcast')]
    if words and words[0][0].isdigit() and ip_network(words[0], strict=False).prefixlen > 0:
        routes.append(ip_network(words[0], strict=False))
routes = [route for route in routes if route.subnet_of(POOL)]
known = {}
for source, whole in found:
    if source not in known:
        known[source] = any(source in route for route in routes)
    if not known[source]:
        send(DELETE, REQUEST | ACK, whole)
        next(messages())
`;

/** In the guard's container: a volume. */
export const POLICY_DIRECTORY = '/policies';

/** Interval at which the guard compares the kernel's rules with its own. */
const EVERY_S = 2;
/** Connections of networks that are gone are removed when this part of the kernel's table is in use. */
const STALE_ABOVE = 1 / 4;
/** Shortest time between two removals. */
const STALE_EVERY_S = 10;
const LIMITS: readonly Limits[] = ['rate and count', 'rate', 'none'];

/**
 * Keeps the rules loaded for as long as it runs: COUNT RATE PLAIN TABLE BRIDGES PYTHON POOL DIRECTORY IFBS.
 * The first three are the rules with fewer and fewer limits, for kernels that do not support all; the
 * two after the bridges remove stale connections. It works without the service. Rules that were removed
 * or changed are loaded again. While that fails, the bridges of all machines are down, so that machines
 * reach nothing.
 *
 * A line on standard input triggers a check, answered by `LINE ok` or `LINE failed REASON`; `end`
 * removes the table. Changes found by periodic checks are reported with `-` as LINE.
 *
 * DIRECTORY has the policies of single machines, which outlive this container's restarts: BRIDGE.nft, and
 * with domains BRIDGE.conf for a dnsmasq; BRIDGE.queues is what throttles it. `policy NAME BRIDGE RULES
 * CONFIGURATION QUEUES`, all in base64, sets one, with `-` for nothing; `keep NAME BRIDGE…` removes all
 * others; `names NAME` asks for dnsmasq; `throttle NAME QUEUES` tries whether the kernel has such queues.
 * Each is answered like a check, with NAME as LINE. A machine whose policy cannot be loaded has its bridge
 * down. `refused NAME BRIDGE` answers `NAME ok NAMES`, in base64: the names that dnsmasq has refused
 * (`COLLECT_REFUSED`, BRIDGE.refused). A table that an earlier guard has loaded stays, with its
 * addresses: its comment is a digest.
 *
 * The kernel prints rules in its own form, so listings are compared with that of a table with the same
 * rules and another name, which applies to no packet (dormant) and is removed at once.
 */
const GUARD = `
count=$1 rate=$2 plain=$3 table=$4 bridges=$5 python=$6 pool=$7 policies=$8 ifbs=$9 expected= rules= state= line= error=
part= held= narrowed= collect='${COLLECT_REFUSED}'
declare -A servers broken
shopt -s nullglob
${THROTTLE}# Without what single packets change.
list_table() {
  nft -s list table inet "$1" 2>/dev/null | sed '/set \\(recent\\|held\\) {/,/^\\t}/d'
}
# Chooses the rules that the kernel can load, and reads how it prints them.
prepare() {
  local text name=check_$table
  for rules in "$count" "$rate" "$plain"; do
    text=\${rules//"$table"/"$name"}
    error=$(nft "\${text/{/{ flags dormant;}" 2>&1) || continue
    expected=$(list_table "$name" | sed "/^\\tflags dormant$/,/^$/d; s/$name/$table/")
    nft delete table inet "$name"
    [ -n "$expected" ] && return
    error="nft lists no rules"
  done
  return 1
}
lay() {
  [ -n "$expected" ] || prepare || return 1
  for attempt in 1 2 3 4; do
    error=$(nft "$rules" 2>&1) || return 1
    [ "$(list_table "$table")" = "$expected" ] && return
  done
  error="another program changes the rules"
  return 1
}
links() {
  ip -o link show type bridge | while read -r index name rest; do
    name=\${name%:}
    case $name in "$bridges"*) ;; *) continue ;; esac
    [ "$1" = up ] && [ -n "\${broken[$name]}" ] || ip link set "$name" "$1"
  done
}
# Without the contents of sets: dnsmasq adds to them.
listed_policies() {
  local files=("$policies"/*.nft)
  ((\${#files[@]})) && nft -s -t list ruleset inet 2>/dev/null | sed -n "/^table inet $table"'_/,/^}/p'
}
restore_policies() {
  [ "$(listed_policies)" = "$narrowed" ] || load_policies
}
table_of() {
  echo "\${table}_\${1#"$bridges"}"
}
in_force() {
  local comment
  comment=$(sed -n 's/^  \\(comment ".*"\\)$/\\1/p' "$policies/$1.nft")
  [ -n "$comment" ] && nft -t list table inet "$(table_of "$1")" 2>/dev/null | grep -qF "$comment"
}
# Bridges with a file, or with a table of an earlier guard.
known_policies() {
  local file
  for file in "$policies"/*.nft; do
    file=\${file##*/}
    echo "\${file%.nft}"
  done
  nft list tables inet 2>/dev/null | sed -n "s/^table inet \${table}_/$bridges/p"
}
end_server() {
  [ -n "\${servers[$1]}" ] || return 0
  kill "\${servers[$1]}" 2>/dev/null
  wait "\${servers[$1]}" 2>/dev/null
  unset "servers[$1]"
}
start_server() {
  [ -s "$policies/$1.conf" ] || return 0
  dnsmasq --keep-in-foreground --conf-file="$policies/$1.conf" </dev/null >/dev/null \\
    2> >(exec perl -e "$collect" "$policies/$1.refused" >/dev/null 2>&1) &
  servers[$1]=$!
}
repaired() {
  [ -n "\${broken[$1]}" ] || return 0
  unset "broken[$1]"
  [ "$state" = ok ] && ip link set "$1" up 2>/dev/null
}
load_policy() {
  end_server "$1"
  rm -f "$policies/$1.refused"*
  if ! error=$(nft -f "$policies/$1.nft" 2>&1); then
    broken[$1]=yes
    ip link set "$1" down 2>/dev/null
    return 1
  fi
  repaired "$1"
  start_server "$1"
}
load_policies() {
  local file
  for file in "$policies"/*.nft; do
    file=\${file##*/}
    load_policy "\${file%.nft}"
  done
  narrowed=$(listed_policies)
}
# The end of the machine's veth: what a bridge receives cannot be redirected with br_netfilter, which
# would not track the connections.
port_of() {
  ip -o link show master "$1" 2>/dev/null | sed -n '1s/^[0-9]*: \\([^@:]*\\).*/\\1/p'
}
# Lays the queues of a machine unless they are in place. Each start makes a new veth; its alias records the
# queues, so that the next guard leaves them in force.
slow_down() {
  local egress= ingress= port
  port=$(port_of "$1")
  [ -n "$port" ] || return 0
  { read -r egress; read -r ingress; } <"$policies/$1.queues"
  case $(ip -o link show "$port") in
    *"alias $egress; $ingress") is_throttled "$port" && return ;;
  esac
  error=$({
    ip link set "$port" alias '' && throttle "$port" "$ifbs\${1#"$bridges"}" "$egress" "$ingress" &&
      ip link set "$port" alias "$egress; $ingress"
  } 2>&1)
}
speed_up() {
  throttle "$(port_of "$1")" "$ifbs\${1#"$bridges"}" '' ''
  rm -f "$policies/$1.queues"
}
remove_policy() {
  end_server "$1"
  speed_up "$1"
  rm -f "$policies/$1".*
  nft delete table inet "$(table_of "$1")" 2>/dev/null
  repaired "$1"
}
# NAME BRIDGE RULES CONFIGURATION QUEUES
set_policy() {
  local file=$policies/$2 result=ok is_new=
  [ -e "$file.nft" ] || is_new=yes
  restore_policies
  if [ "$3" = - ]; then remove_policy "$2"
  else
    printf %s "\${4#-}" | base64 -d >"$file.conf.new" && printf %s "$3" | base64 -d >"$file.nft.new"
    if [ -z "\${broken[$2]}" ] && cmp -s "$file.conf.new" "$file.conf" && cmp -s "$file.nft.new" "$file.nft"; then
      rm -f "$file".*.new
    else
      mv -f "$file.conf.new" "$file.conf" && mv -f "$file.nft.new" "$file.nft"
      if [ -n "$is_new" ] && in_force "$2"; then start_server "$2"
      else load_policy "$2" || result="failed \${error%%$'\n'*}"
      fi
    fi
    if [ "$5" = - ]; then
      # A new one may be that of an earlier guard.
      if [ -e "$file.queues" ] || { [ -n "$is_new" ] && is_throttled "$(port_of "$2")"; }; then speed_up "$2"; fi
    else
      error="the policy cannot be written"
      printf %s "$5" | base64 -d >"$file.queues.new" && mv -f "$file.queues.new" "$file.queues" &&
        slow_down "$2" || result="failed \${error%%$'\n'*}"
    fi
  fi
  narrowed=$(listed_policies)
  echo "$1 $result"
}
# NAME BRIDGE…
keep_policies() {
  local bridge name=$1 kept=" $* "
  restore_policies
  for bridge in $(known_policies); do
    case $kept in *" $bridge "*) ;; *) remove_policy "$bridge" ;; esac
  done
  narrowed=$(listed_policies)
  echo "$name ok"
}
# NAME BRIDGE
refused_names() {
  echo "$1 ok $(base64 -w0 "$policies/$2.refused" 2>/dev/null)"
}
# NAME QUEUES
answer_throttle() {
  local egress= ingress=
  { read -r egress; read -r ingress; } < <(base64 -d <<<"$2")
  if error=$(try_throttle "\${ifbs}try0" "\${ifbs}try1" "$egress" "$ingress" 2>&1); then echo "$1 ok"
  else echo "$1 failed \${error%%$'\n'*}"
  fi
}
check_policies() {
  local name
  restore_policies
  # A bridge may have been made meanwhile.
  for name in "\${!broken[@]}"; do ip link set "$name" down 2>/dev/null; done
  for name in "$policies"/*.queues; do
    name=\${name##*/}
    slow_down "\${name%.queues}"
  done
  for name in "\${!servers[@]}"; do kill -0 "\${servers[$name]}" 2>/dev/null || start_server "$name"; done
}
# Sets \`line\` to the next one. A time-out may have read a part of it.
read_line() {
  line=
  if read -r -t ${EVERY_S} part; then line=$held$part held=
  else
    # End of input instead of a timeout: do not spin.
    [ $? = 1 ] && sleep ${EVERY_S}
    held+=$part
  fi
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
load_policies
while [ "$line" != end ]; do
  case $line in
    "policy "*) set_policy \${line#* }; read_line; continue ;;
    "keep "*) keep_policies \${line#* }; read_line; continue ;;
    "refused "*) refused_names \${line#* }; read_line; continue ;;
    "throttle "*) answer_throttle \${line#* }; read_line; continue ;;
    "names "*)
      if command -v dnsmasq >/dev/null; then echo "\${line#* } ok"; else echo "\${line#* } failed"; fi
      read_line
      continue
      ;;
  esac
  # First, so that a machine is never restricted less.
  check_policies
  if [ -n "$expected" ] && [ "$(list_table "$table")" = "$expected" ]; then next=ok
  elif lay; then links up; next=ok
  else links down; expected= next="failed \${error%%$'\\n'*}"
  fi
  if [ -n "$line" ] || [ "$next" != "$state" ]; then echo "\${line:--} $next"; fi
  state=$next
  remove_stale
  read_line
done
keep_policies - >/dev/null
nft delete table inet "$table"
echo ended
exec sleep infinity
`;

/** The command of a policy's guard; it needs bash, nft, ip and Python, and NET_ADMIN in the host's network. */
export function guardCommand(policy: FirewallPolicy): string[] {
  return [
    'bash',
    '-c',
    GUARD,
    'vc-firewall',
    ...LIMITS.map((limits) => firewallRules(policy, limits)),
    tableName(policy.serviceId),
    bridgePrefix(policy.serviceId),
    REMOVE_STALE_CONNECTIONS,
    SUBNET_POOL,
    POLICY_DIRECTORY,
    throttlePrefix(bridgePrefix(policy.serviceId)),
  ];
}
