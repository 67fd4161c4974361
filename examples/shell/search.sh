#!/bin/bash
# A search that tries eight ways from one state, each in a copy of its own. The service must let nine
# computers run: `vc serve --max-running 9`.
set -euo pipefail

# What a model might propose as the body of the function.
ways=(
  'year % 4 == 0'
  'year % 100 != 0'
  'year % 4 == 0 and year % 100 != 0'
  'year % 400 == 0'
  'year % 4 == 0 or year % 400 == 0'
  'year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)'
  'year % 4 == 0 and year % 400 == 0'
  'year % 2 == 0'
)

project=search-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT # with its computers
vc create "$project/desk" -q >/dev/null
vc bash "$project/desk" 'cat > test.py <<END
from leap import is_leap
assert [is_leap(year) for year in (1900, 2000, 2023, 2024)] == [False, True, False, True]
END'
vc snapshot create "$project/desk" prepared -q >/dev/null
vc fork "$project/desk@prepared" way-{1..8} -q >/dev/null

try() { # NUMBER
  local script="printf 'def is_leap(year):\n    return %s\n' '${ways[$1 - 1]}' > leap.py; python3 test.py"
  if vc bash "$project/way-$1" "$script" 2>/dev/null; then
    printf 'way-%s passes\nfound: %s\n' "$1" "${ways[$1 - 1]}"
  else
    echo "way-$1 fails"
  fi
}

workers=()
for number in {1..8}; do
  try "$number" &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker"; done
