import { ApiError } from '../contract/errors.js';
import { startJob } from './jobs/scripts.js';
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

/**
 * A program of the image that runs commands in place of bash, if there is one; images/README.md has
 * its contract. Nothing else here knows what system the machine has.
 */
const INTERPRETER = '/usr/lib/vc/interpret';

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Commands extends Surroundings {
  readonly interpreter?: 'bash' | 'system';
}

/** Runs the script in this very shell, so that its line numbers and exit code are the script's. */
export function foreground(command: string, surroundings: Commands): string {
  // Where bash is the interpreter, the script finds it as a shell that has done nothing yet.
  const instead = `[ -x ${INTERPRETER} ] && eval() { exec ${INTERPRETER} <<<"$2"; }; `;
  const system = surroundings.interpreter === 'system' ? instead : '';
  return `${enter(surroundings)}${system}echo $$; eval -- ${quote(command)}\n`;
}

/** What a job is recognised by, at most. */
const BEGINNING = 500;

/**
 * Starts the script as a job, see jobs/scripts.ts; the header line is its process id, which is also
 * that of its group. Its output is `/tmp/vc-job-PID.log` as well.
 */
export function background(command: string, surroundings: Commands, jobId: string): string {
  // The variables are for the script alone: what looks after the job keeps its own PATH and HOME.
  const instead = `[ -x ${INTERPRETER} ] && exec ${INTERPRETER} <<<${quote(command)}; `;
  const run =
    surroundings.interpreter === 'system' ? `${instead}eval -- ${quote(command)}` : command;
  const script = quote(`${variables(surroundings)}${run}`);
  const beginning = quote(command.slice(0, BEGINNING).toWellFormed());
  return `${changeDirectory(surroundings)}${startJob(jobId, script, beginning)}`;
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

function enter(surroundings: Surroundings): string {
  return changeDirectory(surroundings) + variables(surroundings);
}

function changeDirectory({ cwd }: Surroundings): string {
  if (cwd === undefined) return '';
  const change = `CDPATH= cd -- ${directory(cwd)} >/dev/null 2>&1`;
  return `${change} || ${elsewhere(cwd)} || { echo ${NO_DIRECTORY}; exit 0; }; `;
}

function variables({ env }: Surroundings): string {
  return Object.entries(env ?? {})
    .map(variable)
    .join('');
}

/** `~` is the home directory; anything else that is not absolute starts from there as well. */
function directory(path: string): string {
  if (path === '~' || path.startsWith('~/')) return `"$HOME"${quote(path.slice(1))}`;
  return quote(path.startsWith('/') ? path : `./${path}`);
}

/** The interpreter may have names of its own for directories. */
function elsewhere(path = ''): string {
  const found = `"$(${INTERPRETER} --directory ${quote(path)} || echo /dev/null)"`;
  return `{ [ -x ${INTERPRETER} ] && cd -- ${found}; } >/dev/null 2>&1`;
}

function variable([name, value]: [string, string]): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new ApiError('invalid_request', `${JSON.stringify(name)} cannot name a variable.`);
  }
  return `export ${name}=${quote(value)}; `;
}
