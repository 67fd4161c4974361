#!/bin/sh
# `npm run test:all`: installs the packages of the tests, then runs lint, type check, build and tests.
# The last line has the numbers of passed, failed and skipped tests.
set -eu
cd "$(dirname "$0")/.."

# In addition to the packages of `vc setup`: tools that inspect the host, a boot loader for imported
# disks, a program that reads text in pictures, an RTMP server for streams, two browsers for the web
# page, a terminal and shells for the command line, programs that use ssh, a VNC client and a display and
# clipboard for it, the libraries and tests of the Python client, a network for computers that install packages.
packages="curl man-db iproute2 slirp4netns util-linux procps python3 python3-httpx python3-websockets python3-pytest mypy grub-pc-bin grub-common mtools openssl ffmpeg tesseract-ocr nginx-light libnginx-mod-rtmp chromium firefox-esr tmux zsh fish groff-base openssh-client rsync git ansible-core tigervnc-viewer xvfb xdotool xclip"

. scripts/packages.sh
need_node
install_packages "the tests" "$packages" "$@"

npm ci --ignore-scripts --no-audit --no-fund
# Side by side: each uses one processor for most of its time. The build writes files that both read.
npm run lint &
lint=$!
npm run typecheck
wait "$lint"
npm run build
for engine in docker podman qemu; do
  node bin/vc.js setup --engine "$engine" --packages-only --yes
done
# Without LXD the tests on a cluster are skipped.
node bin/vc.js setup --engine incus --packages-only --yes || say "LXD cannot be installed: its tests are skipped"

# From nothing, the image for QEMU takes minutes: it is built beside the unit tests and other images.
# The set-up of the tests on QEMU (test/support/qemu/seed.ts) waits for it.
if [ -z "${VC_TEST_QEMU_SEED:-}" ]; then
  cache="${VC_TEST_CACHE_DIR:-${VC_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vc}}"
  mkdir -p "$cache/test-qemu/seed"
  chmod 700 "$cache/test-qemu/seed"
  env -u VC_ENGINE VC_CACHE_DIR="$cache" VC_STATE_DIR="$cache/test-qemu/seed" \
    node bin/vc.js image build linux --engine qemu --if-missing >/dev/null 2>&1 &
fi

# On a planted host, where a test that uses the host fails the run.
exec node test/support/run/planted-host.js node node_modules/vitest/vitest.mjs run --tags-filter '!thorough'
