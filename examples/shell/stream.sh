#!/bin/bash
# A long command: its output as it arrives, and ending it.
set -euo pipefail

project=stream-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT
desk=$(vc create "$project/desk" -q)

code=0
vc bash "$desk" --timeout 10m 'for i in 1 2 3; do echo $i; sleep 0.2; done; exit 7' || code=$?
echo "exit code $code"

# Ending `vc`, here with the end of the pipe, ends the command with all that it has started.
vc bash "$desk" 'while :; do echo still here; sleep 0.1; done' | head -n 2 || true

# A command that has to outlive this script is a job.
job=$(vc bash "$desk" --background 'sleep 1; echo done')
vc logs "$desk" "$job" -f
