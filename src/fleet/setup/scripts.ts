import type { NewFile } from '../../contract/resources/setup.js';
import { quote } from '../../shell/process/quote.js';
import { LOCALES } from './variables.js';

/**
 * Bash scripts for the computer's user that configure a guest after it was started. Each prints what
 * is wrong on standard error and exits with 1. No secret is in an argument of a program.
 */

const FAIL = 'fail() { echo "$1" >&2; exit 1; }\n';

/** For an engine whose guests have sudo in any case. Never undone: the disk is the computer's own. */
export const WITHOUT_SUDO = `sudo -n true 2>/dev/null || exit 0
sudo -n chmod u-s -- "$(command -v sudo)" && ! sudo -n true 2>/dev/null
`;

export function checkTimezone(zone: string): string {
  return `${FAIL}[[ -e /usr/share/zoneinfo/${quote(zone)} ]] ||
  fail ${quote(`The image of the computer has no time zone ${zone}; install the package tzdata in an image of your own.`)}
`;
}

/** Makes the locale in the user's home directory, unless it is there. */
export function makeLocale(locale: string): string {
  const [name = '', modifier] = locale.split('@');
  const source = [name.replace('.UTF-8', ''), modifier].filter(Boolean).join('@');
  const target = `${LOCALES}/${locale}`;
  return `${FAIL}[[ -e ${target}/LC_CTYPE ]] && exit 0
mkdir -p ${LOCALES} && rm -rf ${target}.new
localedef --force -i ${source} -f UTF-8 ${target}.new >/dev/null 2>&1
[[ -e ${target}.new/LC_CTYPE ]] && mv -T ${target}.new ${target} ||
  fail ${quote(`The image of the computer cannot make the locale ${locale}; install the package locales in an image of your own, or choose another.`)}
`;
}

/**
 * Starts the desktop again with the variables of this shell, of which the digest stands for names and
 * values, unless it has them: the image starts it before they are known. In place of the process that
 * keeps `session` running comes one with the variables.
 */
export function restartDesktop(names: readonly string[], digest: string): string {
  return `${FAIL}[[ -x /usr/lib/vc/session ]] || exit 0
path=$PATH PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for ((i = 0; i < 50; i++)); do
  read -r session < <(pgrep -u "$UID" -xf '([^ ]+ )?/usr/lib/vc/session') && break
  sleep 0.1
done
[[ $session ]] || fail 'The desktop does not run.'
grep -qzxF VC_ENVIRONMENT=${digest} "/proc/$session/environ" && exit 0
while IFS= read -rd '' variable; do
  case $variable in VC_PATIENCE=* | VC_RESOLUTION=*) export "$variable" ;; esac
done <"/proc/$session/environ"

keeper=$(ps -o ppid= -p "$session")
((keeper > 1)) && kill -KILL "$keeper"
programs=("$session" $(pgrep -P "$session"))
kill -TERM "\${programs[@]}"
for ((i = 0; i < 60; i++)); do kill -0 "\${programs[@]}" 2>/dev/null || break; sleep 0.05; done
kill -KILL "\${programs[@]}" 2>/dev/null
rm -f "$XDG_RUNTIME_DIR/managed"
for property in _XROOTPMAP_ID _NET_SUPPORTING_WM_CHECK _NET_WORKAREA; do
  xprop -root -remove $property
done

unset SSH_CLIENT SSH_CONNECTION
dbus-update-activation-environment ${names.join(' ')} 2>/dev/null
VC_ENVIRONMENT=${digest} PATH=$path /usr/bin/setsid /bin/bash -c '
while :; do
  started=$SECONDS
  /usr/lib/vc/session
  ((SECONDS - started < 2)) && /bin/sleep 2
done' </dev/null >>"$HOME/.xsession-errors" 2>&1 &
[[ ! -x /usr/lib/vc/painted ]] || exec /usr/lib/vc/painted
`;
}

/** Writes the files; with sudo those that the user may not write. */
export function writeFiles(files: readonly NewFile[]): string {
  const lines = files.map(({ path, mode, content = '', content_base64 }) => {
    const base64 = content_base64 ?? Buffer.from(content).toString('base64');
    const inHome = path.startsWith('~/') ? `./${path.slice(2)}` : path;
    return `put ${quote(path)} ${quote(inHome)} ${mode} '${base64}'\n`;
  });
  return `cd && exec 2>&1
put() {
  local error
  error=$(base64 -d <<<"$4" | install -DT -m "$3" -- /dev/stdin "$2" 2>&1) && return
  base64 -d <<<"$4" |
    sudo -n install -DT -m "$3" -o "$(id -u)" -g "$(id -g)" -- /dev/stdin "$2" >/dev/null 2>&1 && return
  echo "$1: \${error##*: }"
  exit 1
}
${lines.join('')}`;
}
