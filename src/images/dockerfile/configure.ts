import { writeTar } from '../../lib/tar/write.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { runScript } from './commands.js';
import type { BuildMachine } from './machine.js';
import type { Action } from './steps.js';

type Configure = Extract<Action, { kind: 'configure' }>;

/** Replaces the lines of variables, whose names are the arguments, by those on standard input. */
const SET_VARIABLES = `set -eu
file=./usr/lib/vc/environment
touch "$file"
for name; do sed -i "/^$name=/d" "$file"; done
cat >>"$file"`;

/** Login shells set a search path of their own. */
const PROFILE = `# The variables of the image, see /usr/lib/vc/environment.
set -a
. /usr/lib/vc/environment
set +a
`;

/**
 * Writes the variables and the program of an image to where images/README.md says that computers have
 * them.
 */
export async function configure(
  machine: BuildMachine,
  { env, program, workdir }: Configure,
  signal: AbortSignal,
): Promise<void> {
  const names = Object.keys(env);
  if (names.length > 0) {
    const lines = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}\n`);
    await runScript(machine, SET_VARIABLES, names, {
      input: [Buffer.from(lines.join(''))],
      signal,
    });
    await put(machine, 'etc/profile.d/zz-vc-image.sh', 0o644, PROFILE, signal);
  }
  if (program.length === 0) {
    await runScript(machine, 'rm -f ./usr/lib/vc/program', [], { signal });
  } else {
    const text = `#!/bin/sh
# CMD and ENTRYPOINT of the image: starts with the desktop.
cd -- ${shellWord(workdir)} || exit
exec ${program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}
`;
    await put(machine, 'usr/lib/vc/program', 0o755, text, signal);
  }
}

async function put(
  machine: BuildMachine,
  name: string,
  mode: number,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const content = [Buffer.from(text)];
  const entry = { name, kind: 'file', mode, size: Buffer.byteLength(text), content } as const;
  await machine.put(writeTar([entry]), signal);
}

/** Quotes a value so that a shell and sshd's `SetEnv` read the same. */
function quoted(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  const text = value.replaceAll(/["\\]/g, '\\$&').replaceAll(/[$`]+/g, `"'$&'"`);
  return `"${text}"`;
}
