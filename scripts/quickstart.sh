#!/bin/sh
# From a fresh clone to a running computer: `npm run quickstart`.
#
# Installs missing packages (after asking), starts the service in the background, creates a computer,
# types a line into an editor in it and saves screenshot.png. The computer is a container on Docker if
# an Engine runs, otherwise, as root, on Podman, otherwise a virtual machine; `--engine` chooses docker,
# podman or qemu. Running it again is fast and changes nothing that exists. `--yes` confirms everything.
set -eu

cd "$(dirname "$0")/.."

usage() {
  echo "error: $1" >&2
  echo "       usage: npm run quickstart [-- [--engine auto|docker|podman|qemu] [--yes]]" >&2
  exit 2
}

answer=''
engine=${VC_ENGINE:-auto}
while [ $# -gt 0 ]; do
  case $1 in
  -y | --yes) answer=--yes ;;
  --engine)
    [ $# -ge 2 ] || usage '--engine needs a name'
    engine=$2
    shift
    ;;
  --engine=*) engine=${1#--engine=} ;;
  *) usage "unknown option $1" ;;
  esac
  shift
done
case $engine in auto | docker | podman | qemu) ;; *) usage "unknown engine $engine" ;; esac
if [ "$engine" = podman ] && [ "$(id -u)" -ne 0 ]; then
  usage 'Podman needs root: sudo npm run quickstart -- --engine podman'
fi

step='the quick start'
fail() {
  echo "error: failed at: $step; see the messages above" >&2
  echo "       fix the problem and run again: npm run quickstart" >&2
}
trap '[ $? -eq 0 ] || fail' EXIT
trap 'trap - EXIT; echo >&2; exit 130' INT TERM

say() {
  step=$1
  echo "==> $1" >&2
}

vc() {
  node bin/vc.js "$@"
}

# True if any file in the directories after $1 is newer than the file $1.
newer_than() {
  reference=$1
  shift
  [ -n "$(find "$@" -type f -newer "$reference" 2>/dev/null | head -n 1)" ]
}

say 'Looking for Node.js 20.20 or later'
if ! command -v node >/dev/null 2>&1; then
  echo 'error: Node.js is not installed' >&2
  echo '       install Node.js 20.20 or later from https://nodejs.org and run again' >&2
  trap - EXIT
  exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number);
              process.exit(a > 20 || (a === 20 && b >= 20) ? 0 : 1)'; then
  echo "error: Node.js $(node --version) is too old" >&2
  echo '       install Node.js 20.20 or later from https://nodejs.org and run again' >&2
  trap - EXIT
  exit 1
fi

# npm keeps a copy of the lock file it has installed.
installed=node_modules/.package-lock.json
if [ ! -e "$installed" ] || newer_than "$installed" package-lock.json; then
  say 'Installing the packages of package-lock.json'
  npm ci --ignore-scripts --no-audit --no-fund
fi

built=dist/.built
if [ ! -e "$built" ] || newer_than "$built" src package.json tsconfig.json tsconfig.build.json; then
  say 'Building'
  npm run --silent build -- --no-types
  touch "$built"
fi

# Resolve `auto` once: installing packages must not change the choice.
wish=$engine
engine=$(vc setup --engine "$wish" --dry-run --quiet)

# A user who joins a group here gets the image when this script runs again, below.
say "Setting this machine up for $engine, with the Linux image (two to five minutes unless it exists)"
# shellcheck disable=SC2086
vc setup --engine "$engine" --image linux $answer

# A new group membership takes effect at the next login; sg applies it now.
group=docker
[ "$engine" = docker ] || group=kvm
if [ "$(id -u)" -ne 0 ] && [ -z "${VC_QUICKSTART_GROUP:-}" ] && command -v sg >/dev/null 2>&1 &&
  ! id -nG | grep -qw "$group" && getent group "$group" | grep -qw "$(id -un)"; then
  trap - EXIT
  VC_QUICKSTART_GROUP=1 exec sg "$group" -c "sh scripts/quickstart.sh --engine $wish $answer"
fi

if [ "$engine" = qemu ]; then
  say 'Saving a booted template unless it exists (half a minute to two minutes)'
  vc image warm linux
fi

say 'Starting the service unless it runs'
vc serve --detach

# From here on, vc is used as any user would.
computer=demo/desktop
present=$(vc get "$computer" 2>/dev/null | sed -n 's/^engine[[:space:]]*\([a-z]*\).*/\1/p')
if [ "$wish" != auto ] && [ -n "$present" ] && [ "$present" != "$engine" ]; then
  computer=demo/desktop-$engine
fi

say "Creating the computer $computer unless it exists"
vc project get demo -q >/dev/null 2>&1 || vc project create demo
if vc get "$computer" -q >/dev/null 2>&1; then
  vc start "$computer"
else
  vc create "$computer" --engine "$engine"
fi

if ! vc bash "$computer" 'pgrep -x mousepad' >/dev/null; then
  say 'Typing a line into a text editor'
  # Without its stored settings: after a stop of the computer it asks whether to restore the text of its
  # last session, and takes no other keys.
  vc bash "$computer" --background --quiet 'GSETTINGS_BACKEND=memory exec mousepad' >/dev/null
  vc bash "$computer" 'xdotool search --sync --onlyvisible --class mousepad' >/dev/null
  vc wait "$computer" --stable
  vc type "$computer" 'Hello from vc — é Ж 中 👍'
  vc wait "$computer" --stable
fi

say 'Taking a screenshot'
vc screenshot "$computer" -o screenshot.png

trap - EXIT
cat >&2 <<NEXT

Done: screenshot.png. To install the vc command: npm link (or use: node bin/vc.js)

  vc click $computer 640 400      click in the middle
  vc press $computer ctrl+s       press keys
  vc exec $computer -- uname -a   run a program
  vc ls                              list computers
  vc dashboard                      the web page; its link now, once, within five minutes:
                                    $(vc dashboard --print --quiet)
  vc stop $computer               stop it and keep its disk
  vc --help                          everything else
NEXT
