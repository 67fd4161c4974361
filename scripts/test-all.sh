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

# On a host that fails the run when a test uses it; see test/support/run/planted-host.js.
exec node test/support/run/planted-host.js node node_modules/vitest/vitest.mjs run
