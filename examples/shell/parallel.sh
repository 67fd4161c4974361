#!/bin/bash
# Three computers at the same time. An owner may run two by default: `vc serve --max-running 3`.
set -euo pipefail

project=parallel-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT # with its computers

count() { # NAME POWER
  vc create "$project/$1" -q >/dev/null
  echo "$1: $(vc python "$project/$1" -c "print(sum(range(10 ** $2)))")"
}

workers=()
for power in 5 6 7; do
  count "worker-$power" "$power" &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker"; done
