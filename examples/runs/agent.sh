#!/bin/bash
# Stands for an agent with a model: does the task VC_TASK on the computer VC_COMPUTER by mouse and
# keyboard. `vc` uses the key for that computer, which is in the environment.
set -euo pipefail

desk=$VC_COMPUTER
echo "task: $VC_PROMPT"

# Starts a program and waits for its window.
start() { # WINDOW COMMAND
  vc bash "$desk" "DISPLAY=:0 nohup $2 >/dev/null 2>&1 &"
  vc wait "$desk" --window "$1" --timeout 60s
  vc wait "$desk" --stable
}

case $VC_TASK in
  editor-write)
    start notes.txt 'mousepad notes.txt'
    vc type "$desk" $'Milk\n' --settle
    vc press "$desk" ctrl+s
    ;;
  editor-change)
    start app.ini 'mousepad app.ini'
    vc press "$desk" ctrl+a
    vc type "$desk" $'port=9000\n' --settle
    vc press "$desk" ctrl+s
    ;;
  files-folder)
    start user 'thunar /home/user'
    vc press "$desk" ctrl+shift+n --settle
    vc wait "$desk" --window 'New Folder'
    vc press "$desk" ctrl+a
    vc type "$desk" $'Reports\n'
    ;;
  files-rename)
    start Work 'thunar /home/user/Work'
    vc press "$desk" ctrl+a
    vc press "$desk" F2 --settle
    vc wait "$desk" --window Rename
    vc press "$desk" ctrl+a
    vc type "$desk" $'new.txt\n'
    ;;
  files-delete)
    start Work 'thunar /home/user/Work'
    vc press "$desk" ctrl+a
    vc press "$desk" Delete
    vc wait "$desk" --window Attention
    vc press "$desk" Enter --settle
    ;;
  terminal-count)
    start Terminal xfce4-terminal
    vc type "$desk" $'wc -l < data.csv > count.txt\n'
    ;;
  terminal-archive)
    start Terminal xfce4-terminal
    vc type "$desk" $'tar -czf work.tar.gz Work\n'
    ;;
  browser-form)
    vc open "$desk" file:///home/user/form.html
    vc press "$desk" Tab
    vc type "$desk" $'Ada\n'
    ;;
  browser-link)
    vc open "$desk" file:///home/user/form.html
    vc wait "$desk" --element link:Prices --timeout 60s
    vc click "$desk" --element link:Prices
    ;;
  calculator)
    start galculator galculator
    vc type "$desk" $'6*7\n' --settle
    vc press "$desk" ctrl+c --settle
    ;;
  *)
    echo "unknown task $VC_TASK" >&2
    exit 1
    ;;
esac
