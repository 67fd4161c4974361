import { ApiError } from '../contract/errors.js';
import { quote } from './quote.js';

/**
 * What the guest's bash is told. The command line of a channel is a constant with numbers at most,
 * so a process list shows nothing of a user's text (on the host neither); everything else travels
 * on standard input, as one line of bash:
 *
 * - it changes the directory, or answers the header line `cwd` and ends;
 * - it sets the variables;
 * - it answers the header line with its process id, which is also its group's, as sshd gives every
 *   channel a session of its own; from then on all output is the user's.
 */

/** Header line that stands for a directory that is not there. */
export const NO_DIRECTORY = 'cwd';

/** Bash reads its whole input, then runs it with the input at its end. */
export const FROM_INPUT = '. /dev/stdin';

/** Bash reads `bytes` bytes of its input and runs them; the rest of the input is left. */
export function fromFirstBytes(bytes: number): string {
  return `eval "$(head -c ${bytes})"`;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the script in this very shell, so that its line numbers and exit code are the script's. */
export function foreground(command: string, surroundings: Surroundings): string {
  return `${enter(surroundings)}echo $$; eval -- ${quote(command)}\n`;
}

/**
 * Runs the script in a session of its own, without the SSH connection. Its output goes to
 * `/tmp/vc-job-PID.log`, where PID is its process id and that of its group, in the header line.
 */
export function background(command: string, surroundings: Surroundings): string {
  const log = 'exec >/tmp/vc-job-$$.log 2>&1 || exec >/dev/null 2>&1';
  return `${enter(surroundings)}setsid bash -c '${log}; ${FROM_INPUT}' <<<${quote(command)} >/dev/null 2>&1 & echo $!\n`;
}

/**
 * Becomes the program. `terminal` gives back to a raw terminal its usual modes before the header
 * tells that input may come.
 */
export function program(
  argv: readonly string[],
  surroundings: Surroundings,
  terminal: 'terminal' | 'pipes',
): string {
  const modes = terminal === 'terminal' ? 'stty sane iutf8; ' : '';
  return `${enter(surroundings)}${modes}echo $$; exec -- ${argv.map(quote).join(' ')}\n`;
}

/**
 * Asks a process group to end, and ends it by force when members are left after `graceMs`
 * milliseconds. It does not leave before: its own end says that the group has ended.
 */
export function endGroup(pid: number, graceMs: number): string {
  const steps = Math.max(1, Math.round(graceMs / 50));
  return `kill -TERM -- -${pid}; for _ in {1..${steps}}; do kill -0 -- -${pid} || exit 0; sleep 0.05; done; kill -KILL -- -${pid}\n`;
}

export function signalGroup(pid: number, signal: string): string {
  return `kill -${signal} -- -${pid}\n`;
}

function enter({ cwd, env }: Surroundings): string {
  const change = cwd === undefined ? '' : `CDPATH= cd -- ${directory(cwd)} >/dev/null 2>&1`;
  const checked = change && `${change} || { echo ${NO_DIRECTORY}; exit 0; }; `;
  return (
    checked +
    Object.entries(env ?? {})
      .map(variable)
      .join('')
  );
}

/** `~` is the home directory; anything else that is not absolute starts from there as well. */
function directory(path: string): string {
  if (path === '~' || path.startsWith('~/')) return `"$HOME"${quote(path.slice(1))}`;
  return quote(path.startsWith('/') ? path : `./${path}`);
}

function variable([name, value]: [string, string]): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new ApiError('invalid_request', `${JSON.stringify(name)} cannot name a variable.`);
  }
  return `export ${name}=${quote(value)}; `;
}
