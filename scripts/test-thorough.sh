#!/bin/sh
# Every test, those with the tags `slow` and `thorough` included; see docs/testing.md.
# Run `npm run test:all` first, which installs and builds.
#
#   npm run test:thorough                                all of it: one to several hours
#   npm run test:thorough -- --write                     the same, and writes the record in test/RECORD.md
#   npm run test:thorough -- --write --project docker    one engine, and its part of the record; takes any
#                                                        argument of vitest's
set -eu
cd "$(dirname "$0")/.."
export VC_TEST_TIER=thorough
# Generators of clients, which read the OpenAPI document.
npm ci --prefix examples/openapi --ignore-scripts --no-audit --no-fund
if [ "${1:-}" = --write ]; then
  shift
  export VC_TEST_RECORD=test/RECORD.md
fi
exec node test/support/run/planted-host.js node node_modules/vitest/vitest.mjs run "$@"
