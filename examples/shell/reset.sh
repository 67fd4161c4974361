#!/bin/bash
# A test suite on one computer: each test may break everything, and the next one begins from the same
# snapshot.
set -euo pipefail

project=reset-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT # with its computer and the snapshot
desk=$(vc create "$project/desk" -q)
vc bash "$desk" 'echo Milk > notes.txt'
vc snapshot create "$desk" clean -q >/dev/null

tests=(
  'a note is added|echo Bread >> notes.txt; [ "$(wc -l < notes.txt)" = 2 ]'
  'all notes are deleted|rm notes.txt; [ ! -e notes.txt ]'
  'there is one note at first|[ "$(cat notes.txt)" = Milk ]'
)
passed=0
for test in "${tests[@]}"; do
  if vc bash "$desk" "${test#*|}"; then
    passed=$((passed + 1))
    echo "ok: ${test%%|*}"
  else
    echo "FAILED: ${test%%|*}"
  fi
  vc reset "$desk" clean -q >/dev/null
done
echo "$passed of ${#tests[@]} passed"
