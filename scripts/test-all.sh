#!/bin/sh
# The README's second command: installs what the tests need, then runs every gate and every test.
# The last line says how many tests passed, failed and were skipped.
set -eu
cd "$(dirname "$0")/.."

# What the tests use besides what `vc setup` installs: an X server with clients for the unit tests
# of the screen, tools that look at the machine, a boot loader to make a foreign disk with, an RTMP
# server for the streams, a browser for the live view, a terminal and shells for the command line.
packages="tigervnc-standalone-server xterm xclip x11-utils xdotool curl man-db iproute2 util-linux procps python3 grub-pc-bin grub-common mtools openssl ffmpeg nginx-light libnginx-mod-rtmp chromium tmux zsh fish groff-base"

. scripts/packages.sh
need_node
install_packages "the tests" "$packages" "$@"

npm ci --ignore-scripts --no-audit --no-fund
npm run lint
npm run typecheck
npm run build
for engine in docker qemu; do
  node bin/vc.js setup --engine "$engine" --packages-only --yes
done

# vitest's reports: `node scripts/promises.js --write FILE…` makes the table of promises of them.
reports=${VC_TEST_REPORTS:-}
if [ -z "$reports" ]; then
  reports=$(mktemp -d)
  trap 'rm -rf "$reports"' EXIT
fi
mkdir -p "$reports"
for name in qemu-failed unit.json e2e.json e2e-qemu.json answered.json; do rm -f "$reports/$name"; done
failed=0
# The tests run against real machines: one that a busy host was too slow for has a second attempt,
# and the summary names it.
run() {
  npx vitest run --project "$1" --retry=1 --reporter=default --reporter=json \
    --outputFile.json="$reports/$1.json"
}
run unit || failed=1
# Each engine's tests wait for machines much of the time: side by side they are done a third sooner.
{ run e2e-qemu || touch "$reports/qemu-failed"; } 2>&1 | sed 's/^/[qemu] /' &
qemu=$!
run e2e || failed=1
wait "$qemu"
[ ! -e "$reports/qemu-failed" ] || failed=1
run answered || failed=1
node scripts/promises.js "$reports"/*.json || failed=1
node scripts/summary.js "$reports"/*.json || failed=1
exit "$failed"
