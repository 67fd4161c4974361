# Functions for the set-up scripts, which source this file.

say() { printf '%s\n' "$*" >&2; }

# Fails with one line unless a recent Node.js is installed.
need_node() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 20) ? 0 : 1)' 2>/dev/null || {
    say "vc needs Node 20.20 or newer; found: $(node --version 2>/dev/null || echo none). See https://nodejs.org"
    exit 1
  }
}

# install_packages WHAT "PACKAGE ..." [--yes]: lists the missing packages and installs them with apt.
# Asks for confirmation on a terminal unless --yes is given.
install_packages() {
  what=$1 wanted=$2
  shift 2
  missing=""
  for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "For $what these Debian packages will be installed:$missing"
  case " $* " in
    *" --yes "*) ;;
    *)
      if [ -t 0 ]; then
        printf 'Continue? [Y/n] ' >&2
        read -r answer
        case "$answer" in [nN]*) say "Nothing was changed."; exit 1 ;; esac
      fi
      ;;
  esac
  root=""
  [ "$(id -u)" -eq 0 ] || root=sudo
  # shellcheck disable=SC2086
  $root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
    say "apt could not install them; try: ${root:+$root }apt-get install$missing"
    exit 1
  }
}
