/** What a mount does not allow: programs with the rights of their owner, devices. And writing. */
const NOSUID = 2;
const NODEV = 4;
const RDONLY = 1;

/** Attributes of a mount, for {@link MOUNT}. */
export function attributesOf({ readOnly }: { readonly readOnly: boolean }): number {
  return NOSUID | NODEV | (readOnly ? RDONLY : 0);
}

/** Ids on disk from `disk` on are seen as those from `seen` on. */
export interface IdRange {
  readonly disk: number;
  readonly seen: number;
  readonly count: number;
}

/** Ranges as the kernel reads them. */
export function idMap(ranges: readonly IdRange[]): string {
  return ranges.map(({ disk, seen, count }) => `${disk} ${seen} ${count}\n`).join('');
}

/**
 * A Perl program that mounts a directory once more, with other owners (an idmapped mount). Arguments:
 * the directory, where to mount it, attributes, and the map of ids. Debian's and Ubuntu's base system has
 * Perl, and no program that does this.
 *
 * The map is that of a user namespace, which the mount keeps. 428 is open_tree(2) with OPEN_TREE_CLONE
 * and OPEN_TREE_CLOEXEC, 442 mount_setattr(2) with AT_EMPTY_PATH and MOUNT_ATTR_IDMAP, 429 move_mount(2)
 * with MOVE_MOUNT_F_EMPTY_PATH: on every architecture.
 */
export const MOUNT = `
use strict;
my ($source, $target, $attributes, $map) = @ARGV;
our $pid = open(our $output, '-|', qw(unshare --user sh -c), 'echo; exec sleep 60')
  or die "unshare: $!\\n";
END { kill 'KILL', $pid if $pid }
defined(readline $output) or die "unshare: it has failed\\n";
for my $kind ('uid', 'gid') {
  open(my $file, '>', "/proc/$pid/\${kind}_map") or die "map: $!\\n";
  syswrite($file, $map) or die "map: $!\\n";
}
open(my $namespace, '<', "/proc/$pid/ns/user") or die "namespace: $!\\n";
my $empty = '';
my $tree = syscall(428, -100, $source, 0x80001);
die "open_tree: $!\\n" if $tree < 0;
my $setting = pack('Q4', 0x100000 | $attributes, 0, 0, fileno($namespace));
syscall(442, $tree, $empty, 0x1000, $setting, 32) == 0 or die "mount_setattr: $!\\n";
syscall(429, $tree, $empty, -100, $target, 4) == 0 or die "move_mount: $!\\n";
`;
