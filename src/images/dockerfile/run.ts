import { randomUUID } from 'node:crypto';
import { findOwner, runScript } from './commands.js';
import type { BuildMachine } from './machine.js';
import type { Mount } from './mounts.js';
import { StepOutput } from './progress.js';
import type { Action } from './steps.js';

type Run = Extract<Action, { kind: 'run' }>;

export interface RunContext {
  readonly secrets: ReadonlyMap<string, Buffer>;
  /** Variables that are in no key: those of proxies. */
  readonly variables: Readonly<Record<string, string>>;
  readonly onLine: (text: string, stream: 'stdout' | 'stderr') => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a command with its mounts, and removes those afterwards. Throws an Error without a place if it
 * fails; the machine must not be saved then.
 */
export async function performRun(
  machine: BuildMachine,
  run: Run,
  { secrets, variables, onLine, signal }: RunContext,
): Promise<void> {
  const given = run.mounts.filter(({ type, id }) => type === 'secret' && secrets.has(id));
  const directories = run.mounts.filter(({ type }) => type !== 'secret');
  const made: string[] = [];
  for (const mount of directories) made.push(...(await makeDirectory(machine, mount, signal)));
  const memory = `/dev/shm/vc-build-${randomUUID()}`;
  const env: Record<string, string> = { ...variables, ...run.env };
  const links: string[] = [];
  for (const [index, mount] of given.entries()) {
    const secret = secrets.get(mount.id) ?? Buffer.alloc(0);
    if (mount.env !== undefined) env[mount.env] = secret.toString('utf8');
    if (mount.target === '') continue;
    const file = `${memory}/${index}`;
    await addSecret(machine, { mount, memory, file, secret }, signal);
    links.push(`.${mount.target}`);
  }
  const hidden = given.map(({ id }) => secrets.get(id)?.toString('utf8') ?? '');
  const output = new StepOutput(onLine, hidden);
  const code = await machine.run(run.argv, {
    user: run.user,
    env,
    cwd: run.workdir,
    input: run.input === '' ? [] : [Buffer.from(run.input)],
    onOutput: (chunk, stream) => output.write(chunk, stream),
    signal,
  });
  output.end();
  if (code !== 0) throw new Error(`it ended with exit code ${code}`);
  if (given.length > 0) await runScript(machine, REMOVE_SECRETS, [memory, ...links], { signal });
  if (made.length > 0) await runScript(machine, 'rm -rf -- "$@"', made, { signal });
}

/** Prints the directory if it had to be made. */
const MAKE_DIRECTORY = `[ -d "$1" ] && exit
mkdir -p -- "$1" && chmod "$2" -- "$1" && chown "$3" -- "$1" && printf '%s' "$1"`;

async function makeDirectory(
  machine: BuildMachine,
  { target, mode, uid, gid }: Mount,
  signal: AbortSignal,
): Promise<string[]> {
  const { uid: user, gid: group } = await findOwner(machine, `${uid}:${gid}`, signal);
  const args = [`.${target}`, mode.toString(8), `${user}:${group}`];
  const made = await runScript(machine, MAKE_DIRECTORY, args, { signal });
  return made === '' ? [] : [made];
}

/** A file in memory, which no saved disk contains, and a link to it. */
const ADD_SECRET = `set -eu
if [ "$(stat -f -c %T /dev/shm)" != tmpfs ]; then
  echo 'no file system in memory at /dev/shm' >&2
  exit 1
fi
mkdir -p -m 711 -- "$1"
umask 077
cat >"$2"
chmod "$3" -- "$2"
chown "$4" -- "$2"
umask 022
mkdir -p -- "$(dirname -- "$5")"
ln -s -- "$2" "$5"`;

const REMOVE_SECRETS = `rm -rf -- "$1"
shift
for link; do
  rm -f -- "$link"
  rmdir -- "$(dirname -- "$link")" 2>/dev/null || :
done`;

interface Secret {
  readonly mount: Mount;
  readonly memory: string;
  readonly file: string;
  readonly secret: Buffer;
}

async function addSecret(
  machine: BuildMachine,
  { mount, memory, file, secret }: Secret,
  signal: AbortSignal,
): Promise<void> {
  const { uid, gid } = await findOwner(machine, `${mount.uid}:${mount.gid}`, signal);
  const args = [memory, file, mount.mode.toString(8), `${uid}:${gid}`, `.${mount.target}`];
  await runScript(machine, ADD_SECRET, args, { input: [secret], signal });
}
