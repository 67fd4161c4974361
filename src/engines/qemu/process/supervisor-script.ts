import { COLLECT_REFUSED } from '../../network/refused-names.js';
import { THROTTLE } from '../../network/throttle.js';
import { DNS_ADDRESS, OUTER_NETWORK, RELAY_PORT, RELAY_SOCKET } from '../network/addresses.js';
import { NAME_SERVER_PORT } from '../network/firewall-rules.js';

/** Bytes of a machine's standard error that are kept of one run. */
export const LOG_BYTES = 1024 * 1024;

/** Of the way out: what slirp4netns can have at most. */
const MTU = 65_520;

/** A guest's simultaneous connections; each takes a descriptor of slirp4netns. */
const MAX_CONNECTIONS = 4096;

/** Pipes between the scripts while they start; an interrupted start leaves them behind. */
const PIPES = ['.log', '.stage', '.ready'];
/** In the working directory: a pipe for what dnsmasq logs, and the names that it has refused. */
const NAMES_LOG = '.names';
export const REFUSED_FILE = 'refused';
/** Files of an earlier start, which are removed before another. */
export const LEFTOVERS = [...PIPES, 'names.pid', NAMES_LOG, REFUSED_FILE];

/**
 * Constant shell scripts that set up a machine's namespaces, execute its QEMU and record its exit.
 * Everything that differs between machines is passed as an argument.
 *
 * File descriptors from the service: 0 /dev/null, 1 and 2 the log, 3 inherited by QEMU, 8 a pipe for
 * `started`, 9 the process record. Between the scripts: 5 and 6.
 *
 * /proc is the service's, so process ids are those that the service sees. `read` is a shell
 * builtin, so /proc/self is the shell itself, and `exec` turns that process into QEMU.
 */

/** Drops all privileges; no program that is executed later can regain them. */
const WITHOUT_PRIVILEGES =
  'setpriv --nnp --bounding-set=-all --inh-caps=-all --ambient-caps=-all --';

/**
 * A shell function that starts dnsmasq with a configuration, with the right to change nft sets in its
 * namespace only, and returns when it listens. It holds no descriptor of the scripts, and is not a child
 * of QEMU. `names.pid` in the working directory has its process id, which is one of the namespace.
 */
export const SERVE_NAMES = `
serve_names() {
  (
    rm -f ${NAMES_LOG} && mkfifo ${NAMES_LOG} || exit
    ${WITHOUT_PRIVILEGES} perl -e '${COLLECT_REFUSED}' ${REFUSED_FILE} <${NAMES_LOG} \\
      >/dev/null 2>&1 3>&- 5>&- 6>&- 8>&- 9>&- &
    printf %s "$1" | setpriv --nnp --bounding-set=-all,+net_admin --inh-caps=-all -- \\
      dnsmasq --keep-in-foreground --conf-file=- >/dev/null 2>${NAMES_LOG} 3>&- 5>&- 6>&- 8>&- 9>&- &
    echo $! >names.pid
    tries=0
    until ss -Hlun sport = :${NAME_SERVER_PORT} | grep -q .; do
      tries=$((tries + 1))
      [ $tries -lt 100 ] && kill -0 $! || exit
      sleep 0.02
    done
    rm ${NAMES_LOG}
  )
}
`;

/**
 * A shell function that throttles the machine's way out in its namespace: EGRESS INGRESS. Queues of slow
 * networks need packets of a usual size.
 */
export const THROTTLE_MACHINE = `${THROTTLE}
throttle_machine() {
  mtu=${MTU}
  [ -z "$1" ] || mtu=1500
  ip link set tap0 mtu $mtu && throttle tap0 throttle0 "$1" "$2"
}
`;

const RECORD_AND_EXEC = (prefix: string) => `
read -r pid name state parent group session terminal owner flags minor minors major majors \\
  user system users systems priority nice threads alarm start rest </proc/self/stat
echo "pid $pid $start" >&9
echo started >&8
exec ${prefix} "$@" 5>&- 6>&- 8>&- 9>&-
`;

/**
 * Runs in the machine's network namespace: MODE RULES NAMES EGRESS INGRESS RELAY PROGRAM ARGUMENT…
 *
 * slirp4netns starts while nft loads the rules; QEMU is executed when both are done.
 */
const STAGE = `${SERVE_NAMES}${THROTTLE_MACHINE}
mode=$1 rules=$2 names=$3 egress=$4 ingress=$5 relay=$6
shift 6
read -r pid rest </proc/self/stat
echo "$pid" >&5
exec 5>&-
if [ "$mode" = filtered ]; then
  nft "$rules" || exit 125
  if [ -e /etc/resolv.conf ]; then
    mount --no-canonicalize --bind ./resolv.conf /etc/resolv.conf || exit 125
  fi
  read -r ready <&6
  [ "$ready" = 1 ] || exit 125
  if [ -n "$egress" ]; then
    throttle_machine "$egress" "$ingress" || exit 125
  fi
  if [ -n "$names" ]; then
    serve_names "$names" || exit 125
  fi
elif [ -n "$relay" ]; then
  ip link set lo up || exit 125
fi
if [ -n "$relay" ]; then
  (
    exec ${WITHOUT_PRIVILEGES} socat UNIX-LISTEN:${RELAY_SOCKET},fork,max-children=16,mode=0600,unlink-early \\
      TCP4:127.0.0.1:${RELAY_PORT} >/dev/null 2>&1 3>&- 5>&- 6>&- 8>&- 9>&- &
  )
fi
${RECORD_AND_EXEC(WITHOUT_PRIVILEGES)}`;

/** Used where the host allows no namespaces; already runs as the machine's user. */
const PLAIN_STAGE = `
shift 6
${RECORD_AND_EXEC('')}`;

/**
 * Process 1 of the machine's PID namespace: STAGE MODE RULES NAMES EGRESS INGRESS RELAY PROGRAM ARGUMENT…
 * When it exits, the kernel kills every process in the namespace. It waits for QEMU and records its
 * exit status, so that a service that starts later can read it.
 *
 * slirp4netns runs outside of the machine's network namespace and is the only way out of it. Its
 * ready descriptor is read until it reports ready or exits.
 */
export const SUPERVISOR = `
trap '' PIPE XFSZ
umask 077
ulimit -c 0
stage=$1 mode=$2
shift
outside() {
  ulimit -f ${LOG_BYTES / 512}
  max=$(ulimit -H -n)
  [ "$max" != unlimited ] && [ "$max" -lt ${MAX_CONNECTIONS} ] || ulimit -n ${MAX_CONNECTIONS}
  exec slirp4netns --configure --mtu=${MTU} --cidr=${OUTER_NETWORK} --disable-host-loopback \\
    --enable-sandbox --enable-seccomp --netns-type=path --ready-fd=7 /proc/self/fd/3 tap0 \\
    3<"/proc/$1/ns/net" 7>&1 >&2 6>&- 8>&- 9>&-
}
# Blocks addresses that the host gets later, also while no service runs.
block_new_addresses() {
  ip -4 -o monitor address | while read -r index device family address rest; do
    [ "$family" = inet ] || continue
    nsenter --net=/proc/self/fd/3 nft "add element inet vc host { \${address%/*} }"
  done
}
mkfifo ${PIPES.join(' ')} || exit 125
exec 6<>.ready
head -c ${LOG_BYTES} <.log >&2 3>&- 6>&- 8>&- 9>&- &
log=$!
exec 7>.log
if [ "$mode" = restricted ]; then
  sh -c "$stage" vc-machine "$@" >&7 2>&7 7>&- &
else
  unshare --net --mount -- sh -c "$stage" vc-machine "$@" >&7 2>&7 5>.stage 7>&- &
fi
machine=$!
exec 7>&-
# Reads nothing if the stage exited before it wrote its process id.
if [ "$mode" != restricted ] && read -r pid <.stage && [ "$mode" = filtered ]; then
  block_new_addresses 3<"/proc/$pid/ns/net" >/dev/null 2>&1 6>&- 8>&- 9>&- &
  echo "$(outside "$pid" &)" >&6
fi
rm -f ${PIPES.join(' ')}
exec 3>&- 6>&- 8>&-
wait "$machine"
status=$?
wait "$log"
echo "ended $status" >&9
exit 0
`;

export const stageOf = (mode: string): string => (mode === 'restricted' ? PLAIN_STAGE : STAGE);
export const RESOLVER_FILE = `nameserver ${DNS_ADDRESS}\n`;

/** Root only: mounts a world-accessible /dev/net/tun in this mount namespace, then runs PROGRAM. */
export const PRIVATE_TUN = `
mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /dev/net &&
mknod -m 666 /dev/net/tun c 10 200 && exec "$@"
`;
