import type { RunOptions } from './machine.js';

/**
 * Commands for a machine's root, for those who implement `BuildMachine`. The engines number the user of a
 * computer differently, so the ids 1000 that Dockerfiles are written with mean that user everywhere.
 */

/** Sets `uid`, `gid`, `home` and `known` of `name` and `group`. */
const FIND_USER = `
[ "$name" != 1000 ] || ! getent passwd user >/dev/null || name=user
[ "$group" != 1000 ] || ! getent group user >/dev/null || group=user
known=$(getent passwd "$name") || known=
if [ -n "$known" ]; then
  IFS=: read -r _ _ uid gid _ home _ <<E
$known
E
else
  case $name in
    *[!0-9]*|'') echo "there is no user $name in the image" >&2; exit 125 ;;
    *) uid=$name gid=0 home=/ ;;
  esac
fi
if [ -n "$group" ]; then
  found=$(getent group "$group" | cut -d: -f3)
  case $found$group in
    *[!0-9]*) [ -n "$found" ] || { echo "there is no group $group in the image" >&2; exit 125; } ;;
  esac
  gid=\${found:-$group}
fi`;

const SPLIT = `name=\${1%%:*} group=
case $1 in *:*) group=\${1#*:} ;; esac`;

const RUN_AS = `${SPLIT}
[ -n "$name" ] || name=root${FIND_USER}
cd -- "$2" || exit 125
export HOME="\${HOME-$home}"
shift 2
[ "$uid:$gid" != 0:0 ] || exec "$@"
groups=--clear-groups
[ -z "$known" ] || [ -n "$group" ] || groups=--init-groups
exec setpriv --reuid "$uid" --regid "$gid" "$groups" -- "$@"`;

/** Without a group, a name means its user's id twice, as the reference of COPY says. */
const PRINT_OWNER = `${SPLIT}${FIND_USER}
[ -n "$group" ] || gid=$uid
echo "$uid $gid"`;

/** A program with its user, variables and directory, as arguments for root's `exec`. */
export function userCommand(
  argv: readonly string[],
  { user, env, cwd }: Pick<RunOptions, 'user' | 'env' | 'cwd'>,
): string[] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['env', '-i', ...variables, '/bin/sh', '-c', RUN_AS, 'sh', user, cwd, ...argv];
}

/** Prints the ids of `NAME[:GROUP]`, with a space between them. */
export function ownerCommand(owner: string): string[] {
  return ['/bin/sh', '-c', PRINT_OWNER, 'sh', owner];
}

/** Unpacks an archive from standard input at `/`. */
export const UNPACK: readonly string[] = [
  ...['tar', '-x', '-p', '--numeric-owner', '--no-overwrite-dir', '--keep-directory-symlink'],
  ...['-C', '/', '-f', '-'],
];

/** Prints an archive of a path; links at its end are followed. */
export function packCommand(path: string): string[] {
  const script =
    'if [ -d "$1" ]; then exec tar -c --one-file-system --numeric-owner -C "$1" .; fi; ' +
    'cd -- "$(dirname -- "$1")" && exec tar -c --numeric-owner -h -- "$(basename -- "$1")"';
  return ['/bin/sh', '-c', script, 'sh', path];
}
