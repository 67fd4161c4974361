import { ApiError } from '../../contract/errors.js';
import { startJob } from '../jobs/scripts.js';
import { quote } from './quote.js';

/**
 * Bash scripts that run in the guest. A channel's command line is constant except for numbers, so
 * that no process list, in the guest or on the host, shows the user's text; the comment in it says
 * whose process it is. Everything else is
 * sent on standard input, as one line of bash that
 *
 * - changes the directory, or prints the header line `cwd` and exits;
 * - sets the variables;
 * - prints its process id as the header line; this is also the process group's id, because sshd
 *   gives every channel a session of its own. All later output is the user's.
 */

/** The header line for a directory that does not exist. */
export const NO_DIRECTORY = 'cwd';

/** Makes bash read its whole input, then run it. */
export const FROM_INPUT = '. /dev/stdin # vc';

/** Makes bash read `bytes` bytes of its input and run them; the rest of the input remains. */
export function fromFirstBytes(bytes: number): string {
  return `eval "$(head -c ${bytes})" # vc`;
}

/**
 * An optional program of the image that runs commands instead of bash; images/README.md specifies
 * it. Nothing else here depends on the guest's operating system, but {@link program}.
 */
export const INTERPRETER = '/usr/lib/vc/interpret';

interface Environment {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface ScriptOptions extends Environment {
  readonly interpreter?: 'bash' | 'system';
}

/** Runs the script in the same shell, so that line numbers and the exit code are the script's. */
export function foreground(command: string, options: ScriptOptions): string {
  const override = `[ -x ${INTERPRETER} ] && eval() { exec ${INTERPRETER} <<<"$2"; }; `;
  const system = options.interpreter === 'system' ? override : '';
  return `${enter(options)}${system}echo $$; eval -- ${quote(command)}\n`;
}

/** Most characters of a job's script kept for listings. */
const BEGINNING = 500;

/**
 * Starts the script as a job, see jobs/scripts.ts. The header line is its process id, which is
 * also that of its group. `/tmp/vc-job-PID.log` links to its output.
 */
export function background(command: string, options: ScriptOptions, jobId: string): string {
  const override = `[ -x ${INTERPRETER} ] && exec ${INTERPRETER} <<<${quote(command)}; `;
  const run = options.interpreter === 'system' ? `${override}eval -- ${quote(command)}` : command;
  // The script sets the variables itself, so that the job's watcher keeps its own PATH and HOME.
  const script = quote(`${variables(options)}${run}`);
  const beginning = quote(command.slice(0, BEGINNING).toWellFormed());
  return `${changeDirectory(options)}${startJob(jobId, script, beginning)}`;
}

/**
 * Replaces the shell with the program. `terminal` restores a raw terminal's usual modes before
 * the header announces that input is accepted. A guest with an interpreter runs programs of Windows.
 */
export function program(
  argv: readonly string[],
  environment: Environment,
  terminal: 'terminal' | 'pipes',
): string {
  const modes = terminal === 'terminal' ? 'stty sane iutf8; ' : '';
  const words = argv.map(quote).join(' ');
  const isOfWindows = /\.exe$/i.test(argv[0] ?? '');
  const wine = isOfWindows ? `[ ! -x ${INTERPRETER} ] || exec -- wine ${words}; ` : '';
  return replaceShell(`${wine}exec -- ${words}`, environment, modes);
}

/** Replaces the shell by the given line of bash, which is not the user's. */
export function replaceShell(line: string, environment: Environment, before = ''): string {
  return `${enter(environment)}${before}echo $$; ${line}\n`;
}

/**
 * Terminates a process group and kills it if members are left after `graceMs`. Exits only when
 * the group has ended.
 */
export function endGroup(pid: number, graceMs: number): string {
  const steps = Math.max(1, Math.round(graceMs / 50));
  return `kill -TERM -- -${pid}; for _ in {1..${steps}}; do kill -0 -- -${pid} || exit 0; sleep 0.05; done; kill -KILL -- -${pid}\n`;
}

export function signalGroup(pid: number, signal: string): string {
  return `kill -${signal} -- -${pid}\n`;
}

function enter(environment: Environment): string {
  return changeDirectory(environment) + variables(environment);
}

function changeDirectory({ cwd }: Environment): string {
  if (cwd === undefined) return '';
  const change = `CDPATH= cd -- ${directory(cwd)} >/dev/null 2>&1`;
  return `${change} || ${translated(cwd)} || { echo ${NO_DIRECTORY}; exit 0; }; `;
}

function variables({ env = {} }: Environment): string {
  return Object.entries(env).map(variable).join('');
}

/** Relative paths and `~` start from the home directory. */
function directory(path: string): string {
  if (path === '~' || path.startsWith('~/')) return `"$HOME"${quote(path.slice(1))}`;
  return quote(path.startsWith('/') ? path : `./${path}`);
}

/** The interpreter may translate paths of its own system. */
function translated(path: string): string {
  const found = `"$(${INTERPRETER} --directory ${quote(path)} || echo /dev/null)"`;
  return `{ [ -x ${INTERPRETER} ] && cd -- ${found}; } >/dev/null 2>&1`;
}

function variable([name, value]: [string, string]): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const message = `env: ${JSON.stringify(name)} is not a valid variable name.`;
    throw new ApiError('invalid_request', message);
  }
  return `export ${name}=${quote(value)}; `;
}
