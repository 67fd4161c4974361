import { canAccess } from '../../../lib/fs/access.js';
import { USER_IDS } from '../../user-ids.js';
import { FILES } from '../layout.js';
import type { Account } from './account.js';

/** A volume as a machine's QEMU gets it. */
export interface ServedVolume {
  readonly id: string;
  /** The directory of its files. */
  readonly files: string;
  readonly readOnly: boolean;
}

/** The volumes of a machine, and the program that serves them. */
export interface ServedVolumes {
  readonly server: string;
  readonly volumes: readonly ServedVolume[];
}

/** Where the packages of Debian and Ubuntu have it: `virtiofsd`, and before it QEMU's own. */
const SERVERS = ['/usr/libexec/virtiofsd', '/usr/lib/qemu/virtiofsd'] as const;
/** Descriptors that it may have: one for each file that the guest knows of. */
const MOST_FILES = 262_144;
/** Bytes of its messages that are kept. */
const LOG_BYTES = 65_536;

/** The path of virtiofsd; undefined if it is not installed. */
export async function findVolumeServer(): Promise<string | undefined> {
  for (const path of SERVERS) if (await canAccess(path)) return path;
  return undefined;
}

/**
 * Arguments before those that spawn a machine, as root: they start virtiofsd, which serves the volumes at
 * `volumes.sock` in the working directory to one client, and then execute the rest. It ends with the
 * connection of QEMU, and with the last process of the rest, which all inherit a pipe to it as descriptor 4.
 */
export function withVolumeServer({ server, volumes }: ServedVolumes, { uid }: Account): string[] {
  const { first, end } = USER_IDS.volumes;
  const trees = volumes.flatMap(({ id, files, readOnly }) => [id, readOnly ? 'ro' : 'rw', files]);
  const argv = [
    ...['unshare', '--mount', '--ipc', '--', 'sh', '-c', TREE, 'vc-volumes', ...trees, '--'],
    ...['setpriv', '--reuid', '0', '--regid', '0', '--clear-groups', '--nnp', '--'],
    ...['sh', '-c', SERVE, 'vc-volumes', server, ...serverArguments(server)],
  ];
  const map = `0 ${first} ${end - first}\n`;
  return ['perl', '-e', LISTEN, '--', FILES.volumes, `${uid}`, map, `${argv.length}`, ...argv];
}

/** QEMU's own has other options. */
function serverArguments(path: string): string[] {
  // It keeps the limit that it is started with.
  const common = ['--fd=3', '--rlimit-nofile=0'];
  if (path !== '/usr/lib/qemu/virtiofsd')
    return [...common, `--shared-dir=${ROOT}`, '--cache=auto', '--log-level=error'];
  // Attributes are not cached: other machines change them.
  return [...common, '-o', `source=${ROOT},cache=auto,timeout=0,log_level=err`];
}

/** Every host has this directory; the volumes are mounted there for virtiofsd only. */
const ROOT = '/mnt';

/**
 * SOCKET OWNER MAP COUNT SERVER… REST…: listens at SOCKET, starts the SERVER with that as descriptor 3, gives
 * it a user namespace with the MAP of ids, and executes the REST.
 */
const LISTEN = `
use strict;
use POSIX ();
use Socket;
my ($path, $owner, $map, $count) = splice @ARGV, 0, 4;
my @server = splice @ARGV, 0, $count;
unlink $path;
socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!\\n";
bind($socket, sockaddr_un($path)) or die "bind: $!\\n";
chmod(0600, $path) && chown($owner, $owner, $path) or die "socket: $!\\n";
listen($socket, 1) or die "listen: $!\\n";
pipe(my $ready, my $isReady) && pipe(my $wait, my $go) or die "pipe: $!\\n";
my $pid = fork // die "fork: $!\\n";
if ($pid == 0) {
  $SIG{PIPE} = 'IGNORE';
  # What the machine's own programs inherit.
  my %own = map { fileno($_) => 1 } $socket, $isReady, $wait;
  $own{$_} or POSIX::close($_) for 3 .. 9;
  my @unprivileged = ('setpriv', '--reuid', $owner, '--regid', $owner, '--clear-groups', '--nnp', '--');
  open(STDERR, '|-', @unprivileged, 'head', '-c', ${LOG_BYTES}) or die "head: $!\\n";
  POSIX::dup2(fileno $wait, 0);
  POSIX::dup2(fileno $isReady, 1);
  POSIX::dup2(POSIX::dup(fileno $socket), 3);
  exec @server;
  die "$server[0]: $!\\n";
}
close $isReady;
close $wait;
defined(readline $ready) or die "the volumes cannot be served\\n";
for my $kind ('uid', 'gid') {
  open(my $file, '>', "/proc/$pid/\${kind}_map") or die "map: $!\\n";
  syswrite($file, $map) or die "map: $!\\n";
}
syswrite($go, "\\n");
# Not of a descriptor to itself, which would be closed.
POSIX::dup2(POSIX::dup(fileno $go), 4);
exec @ARGV;
die "$ARGV[0]: $!\\n";
`;

/**
 * ID MODE FILES … -- PROGRAM…: mounts the volumes in an empty directory of this mount namespace, and
 * executes the PROGRAM with all rights in a new user namespace, once that has its ids.
 */
const TREE = `
ulimit -c 0
(ulimit -n ${MOST_FILES}) 2>/dev/null && most=${MOST_FILES} || most=$(ulimit -H -n)
ulimit -n "$most" || exit
tree=$PWD
mount -t tmpfs -o mode=755,size=64k,nr_inodes=64 vc "$tree" || exit
while [ "$1" != -- ]; do
  mkdir "$tree/$1" && mount --bind "$3" "$tree/$1" || exit
  mount -o "remount,bind,$2,nosuid,nodev" "$tree/$1" || exit
  shift 3
done
shift
mount --move "$tree" ${ROOT} && cd / || exit
exec unshare --user --keep-caps -- \\
  sh -c 'echo; read -r go || exit; exec "$@" >&2' vc-volumes "$@"
`;

/** Runs a program until it ends or standard input does. */
const SERVE = `
"$@" </dev/null &
# Otherwise QEMU could connect, and would wait for a program that has ended.
exec 3<&-
read -r end
kill -KILL $! 2>/dev/null
`;
