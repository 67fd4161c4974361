#!/bin/bash
# A test of a web application in a real browser: what does its page show?
set -euo pipefail

project=browser-$$
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null' EXIT
desk=$(vc create "$project/desk" -q)

# The application: served inside the computer, so that nothing has to be reachable from it.
vc bash "$desk" 'mkdir site; cat >site/index.html' <<'PAGE'
<title>Shop</title><h1>2 items</h1>
<button onclick="document.querySelector('h1').textContent = '3 items'">Add</button>
PAGE
vc bash "$desk" --background 'cd site; python3 -m http.server 8000' -q >/dev/null
vc bash "$desk" 'until curl -s localhost:8000 >/dev/null; do sleep 0.1; done'
vc open "$desk" http://localhost:8000 -q

# Waits until the page shows a text, which is read as a person would: select all and copy.
wait_for() {
  local text end=$((SECONDS + 60))
  until
    vc press "$desk" ctrl+a -q
    vc press "$desk" ctrl+c --settle -q
    text=$(vc clipboard "$desk")
    [[ $text == *"$1"* ]]
  do
    ((SECONDS < end)) || { echo "the page shows: $text" >&2; return 1; }
    sleep 0.2
  done
  echo "the page shows: ${text%%$'\n'*}"
}

wait_for '2 items'
vc press "$desk" Tab -q # to the button
vc press "$desk" Enter --settle -q
wait_for '3 items'
vc screenshot "$desk" -o page.png -q
