#!/bin/sh
# All tests of `npm run test:all` in depth, and those of the thorough tier only; see docs/testing.md.
# Run `npm run test:all` first, which installs and builds.
#
#   npm run test:thorough                                all of it: one to several hours
#   npm run test:thorough -- --write                     the same, and writes the record in docs/reliability.md
#   npm run test:thorough -- --write --project docker    one engine, and its part of the record; takes any
#                                                        argument of vitest's
set -eu
cd "$(dirname "$0")/.."
export VC_TEST_TIER=thorough
if [ "${1:-}" = --write ]; then
  shift
  export VC_TEST_RECORD=docs/reliability.md
fi
exec node test/support/run/planted-host.js node test/support/run/whole-run/whole-run.js "$@"
