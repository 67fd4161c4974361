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

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
failed=0
# The tests run against real machines: one that a busy host was too slow for has a second attempt,
# and the summary names it.
for project in unit e2e e2e-qemu answered; do
  npx vitest run --project "$project" --retry=1 --reporter=default --reporter=json \
    --outputFile.json="$reports/$project.json" || failed=1
done
node scripts/promises.js "$reports"/*.json || failed=1
node scripts/summary.js "$reports"/*.json || failed=1
exit "$failed"
