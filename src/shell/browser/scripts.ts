import { quote } from '../process/quote.js';

/**
 * Bash scripts that find or start Chromium in the guest. Each prints one line: a word, and with it
 * the port and the path of the debugging socket, which Chromium writes into its profile.
 */

/** Steps of 20 ms in which the browser has to open its port: an emulated machine needs many. */
const START_STEPS = 4_500;
/** The same for a browser that has just ended and still holds its profile. */
const END_STEPS = 250;

const PROFILE = '"$HOME/.config/vc-browser"';

/** `show WORD` prints the line if the browser of `$dir` accepts connections. */
const SHOW = `show() {
  local port= path=
  { read -r port; read -r path; } 2>/dev/null <"$dir/DevToolsActivePort"
  [[ $port =~ ^[0-9]{1,5}$ ]] && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && echo "$1 $port $path"
}
command -v chromium >/dev/null || { echo missing; exit 0; }
`;

/** Waits for the port of the process `$browser`, unless `giveUp` succeeds. */
const awaitPort = (giveUp: string) => `for ((i = 0; i < ${START_STEPS}; i++)); do
  show started && break
  ${giveUp} && exit 0
  kill -0 $browser 2>/dev/null || { echo ended; break; }
  sleep 0.02
done
`;

/**
 * Finds or starts the browser of the kept profile. A Chromium that uses the profile without a port
 * would only open a window for a second one, so there the word is \`occupied\`. A lock of a process
 * that does not exist is removed: in a copy of a computer Chromium takes it for another computer's.
 */
export function keptBrowser(args: readonly string[]): string {
  return `dir=${PROFILE}
${SHOW}mkdir -p -m 700 -- "$dir" || exit 1
exec 9>"$dir/vc.lock" && flock 9
show running && exit 0
held() {
  local lock pid
  lock=$(readlink "$dir/SingletonLock") && pid=\${lock##*-} && [[ $pid =~ ^[0-9]+$ ]] &&
    { tr '\\0' ' ' <"/proc/$pid/cmdline" | grep -qF -- "--user-data-dir=$dir "; } 2>/dev/null
}
for ((i = 0; i < ${END_STEPS}; i++)); do
  held || break
  show running && exit 0
  sleep 0.02
done
held && { echo occupied; exit 0; }
rm -f -- "$dir"/Singleton* "$dir/DevToolsActivePort"
setsid ${chromium(args)} 9>&- </dev/null >/dev/null 2>&1 &
browser=$!
${awaitPort('false')}exit 0
`;
}

/**
 * Starts a browser with an empty profile, as the program of a channel: both end when the channel's
 * input does, also when the service is killed.
 */
export function temporaryBrowser(args: readonly string[]): string {
  return `dir=$(mktemp -d /tmp/vc-browser-XXXXXXXX) || exit 1
browser=
end() {
  [[ $browser ]] && kill -KILL -- "-$browser" 2>/dev/null
  wait
  rm -rf -- "$dir" || { sleep 0.5; rm -rf -- "$dir"; }
}
trap end EXIT
trap 'exit 0' TERM HUP
${SHOW}TMPDIR=$dir setsid ${chromium(args)} </dev/null >/dev/null 2>&1 &
browser=$!
${awaitPort('read -t 0')}while kill -0 $browser 2>/dev/null; do
  read -r -t 1
  (($? > 128)) || break
done
`;
}

function chromium(args: readonly string[]): string {
  const options = args.map((argument) => ` ${quote(argument)}`).join('');
  return `chromium --user-data-dir="$dir" --remote-debugging-port=0${options}`;
}
