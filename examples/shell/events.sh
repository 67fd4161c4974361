#!/bin/bash
# A subscription: what happens to the computers of a project, as it happens.
set -euo pipefail

project=events-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT

# One line of JSON for each event. `vc events` itself ends when nobody reads it any more.
while read -r event; do
  case $event in
    *'"type":"computer.status"'*)
      [[ $event =~ \"status\":\"([a-z]+)\" ]] && echo "desk is ${BASH_REMATCH[1]}"
      ;;
    *'"type":"job.exited"'*)
      [[ $event =~ \"exit_code\":([0-9]+) ]] && echo "job exited with ${BASH_REMATCH[1]}"
      break
      ;;
  esac
done < <(vc events -p "$project" --json) &
watcher=$!
sleep 2 # The stream begins with what happens from now on.

desk=$(vc create "$project/desk" -q)
vc bash "$desk" --background 'sleep 0.5; exit 3' -q >/dev/null
wait "$watcher"
