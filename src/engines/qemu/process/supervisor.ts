import { DNS_ADDRESS, OUTER_NETWORK, RELAY_PORT, RELAY_SOCKET } from '../network/addresses.js';

/** Of what a machine says on its standard error in one run, so much is kept. */
export const LOG_BYTES = 1024 * 1024;

/** A guest's connections at one time; each is a descriptor of slirp4netns. */
const MOST_CONNECTIONS = 4096;

/** Pipes by which the scripts talk while they start; a start that was cut short leaves them. */
export const PIPES = ['.log', '.stage', '.ready'];

/**
 * The programs that stand around a machine's QEMU, as scripts that are the same for all: everything
 * that differs comes as an argument.
 *
 * File descriptors that the service hands over: 0 nothing, 1 and 2 the log, 3 and 4 what QEMU is to
 * inherit, 8 a pipe that says `started`, 9 the record. Between the scripts: 5 and 6.
 *
 * Process ids are those of the /proc that is mounted, which is the service's: `read` is built into
 * the shell, so /proc/self is the shell itself, and `exec` makes that process QEMU.
 */

/** Drops everything that QEMU has no use for; afterwards no program can gain it again. */
const WITHOUT_PRIVILEGES =
  'setpriv --nnp --bounding-set=-all --inh-caps=-all --ambient-caps=-all --';

const RECORD_AND_EXEC = (prefix: string) => `
read -r pid name state parent group session terminal owner flags minor minors major majors \\
  user system users systems priority nice threads alarm start rest </proc/self/stat
echo "pid $pid $start" >&9
echo started >&8
exec ${prefix} "$@" 5>&- 6>&- 8>&- 9>&-
`;

/**
 * In the machine's own network: MODE RULES RELAY PROGRAM ARGUMENT…
 *
 * The way out is made while the rules are laid down; QEMU begins when both are there.
 */
const STAGE = `
mode=$1 rules=$2 relay=$3
shift 3
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
elif [ -n "$relay" ]; then
  ip link set lo up || exit 125
fi
if [ -n "$relay" ]; then
  (
    exec ${WITHOUT_PRIVILEGES} socat UNIX-LISTEN:${RELAY_SOCKET},fork,max-children=16,mode=0600,unlink-early \\
      TCP4:127.0.0.1:${RELAY_PORT} >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 8>&- 9>&- &
  )
fi
${RECORD_AND_EXEC(WITHOUT_PRIVILEGES)}`;

/** Where the host allows no namespaces: PROGRAM ARGUMENT…, as who it is to run as already. */
const PLAIN_STAGE = `
shift 3
${RECORD_AND_EXEC('')}`;

/**
 * The first process in the machine's own process namespace: STAGE MODE RULES RELAY PROGRAM …
 * When it ends, the kernel ends everything in there with it. It waits for QEMU and writes down how
 * that ended, which nobody else could say once the service has been away.
 *
 * slirp4netns stays outside of the machine's network, as the only way out of it; its answer is read
 * until it says that it is ready or ends.
 */
export const SUPERVISOR = `
trap '' PIPE XFSZ
umask 077
ulimit -c 0
stage=$1 mode=$2
shift
outside() {
  ulimit -f ${LOG_BYTES / 512}
  most=$(ulimit -H -n)
  [ "$most" != unlimited ] && [ "$most" -lt ${MOST_CONNECTIONS} ] || ulimit -n ${MOST_CONNECTIONS}
  exec slirp4netns --configure --mtu=65520 --cidr=${OUTER_NETWORK} --disable-host-loopback \\
    --enable-sandbox --enable-seccomp --netns-type=path --ready-fd=7 /proc/self/fd/3 tap0 \\
    3<"/proc/$1/ns/net" 7>&1 >&2 4>&- 6>&- 8>&- 9>&-
}
mkfifo ${PIPES.join(' ')} || exit 125
exec 6<>.ready
head -c ${LOG_BYTES} <.log >&2 3>&- 4>&- 6>&- 8>&- 9>&- &
log=$!
exec 7>.log
if [ "$mode" = restricted ]; then
  sh -c "$stage" vc-machine "$@" >&7 2>&7 7>&- &
else
  unshare --net --mount -- sh -c "$stage" vc-machine "$@" >&7 2>&7 5>.stage 7>&- &
fi
machine=$!
exec 7>&-
# Nothing is read where the stage ended without a word.
if [ "$mode" != restricted ] && read -r pid <.stage && [ "$mode" = filtered ]; then
  echo "$(outside "$pid" &)" >&6
fi
rm -f ${PIPES.join(' ')}
exec 3>&- 4>&- 6>&- 8>&-
wait "$machine"
status=$?
wait "$log"
echo "ended $status" >&9
exit 0
`;

export const stageOf = (mode: string): string => (mode === 'restricted' ? PLAIN_STAGE : STAGE);
export const RESOLVER_FILE = `nameserver ${DNS_ADDRESS}\n`;

/** Root only: a /dev/net/tun of this mount namespace's own that everybody may open; then PROGRAM. */
export const PRIVATE_TUN = `
mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /dev/net &&
mknod -m 666 /dev/net/tun c 10 200 && exec "$@"
`;
