#!/bin/bash
# The loop of an agent: show the model the screen, carry out its actions, until it is done.
set -euo pipefail

project=agent-$$
picture=$(mktemp -d)/screen.png
vc project create "$project" -q >/dev/null
trap 'vc project rm "$project" --yes -q >/dev/null; rm -r "${picture%/*}"' EXIT
desk=$(vc create "$project/desk" -q)

# Stands for a model: prints the actions of one turn as `vc computer run` takes them, one a line.
ask_model() { # PICTURE MISTAKE TURN
  printf 'the model sees %s bytes %s\n' "$(wc -c <"$1")" "$2" >&2
  case $3 in
    1) echo '{"action": "click", "x": 640, "y": 400, "settle": true}' ;;
    2) echo '{"action": "click", "x": 5000, "y": 5000}' ;; # Models err; the error goes back to them.
    3) echo '{"action": "type", "text": "Milk, Brot, 牛乳\n", "settle": true}' ;;
    4) echo '{"action": "key", "key": "ctrl+s", "settle": true}' ;;
  esac
}

# The task: write a shopping list into the editor that is open, and save it.
vc bash "$desk" 'touch list.txt; mousepad list.txt >/dev/null 2>&1 &
  xdotool search --sync --onlyvisible --class mousepad' >/dev/null
vc wait "$desk" --stable -q

mistake=
for turn in {1..20}; do
  vc screenshot "$desk" --scale 0.5 -o "$picture" -q
  actions=$(ask_model "$picture" "$mistake" "$turn")
  [ -n "$actions" ] || break
  mistake=
  answer=$(printf '%s\n' "$actions" | vc computer run "$desk" - 2>&1) || mistake="and: $answer"
done
echo "saved: $(vc exec "$desk" -- cat list.txt)"
