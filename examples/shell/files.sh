#!/bin/bash
# 50 MB into a computer and back, with checksums. Files of any size go through in pieces.
set -euo pipefail

project=files-$$
directory=$(mktemp -d)
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null; rm -r "$directory"' EXIT
desk=$(vc create "$project/desk" -q)

head -c 50000000 /dev/urandom >"$directory/there"
vc cp "$directory/there" "$desk:data.bin" -q
vc exec "$desk" -- sha256sum data.bin
vc cp "$desk:data.bin" "$directory/back" -q
sha256sum "$directory/back"
cmp "$directory/there" "$directory/back"
