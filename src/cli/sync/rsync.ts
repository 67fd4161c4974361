import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../lib/package-root.js';
import { findProgram } from '../doctor/programs.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { write } from '../framework/io.js';
import { SafeText } from '../terminal/safe-output.js';

/** What `vc sync` takes besides the directories. */
export interface SyncOptions {
  readonly delete: boolean;
  readonly update: boolean;
  readonly exclude: readonly string[];
  readonly gitignore: boolean;
  readonly dryRun: boolean;
}

/** A file, link or directory that differed. The path of a directory ends with a slash. */
export interface Change {
  readonly type: 'created' | 'changed' | 'deleted';
  readonly path: string;
}

/** A directory of this machine or of the computer, as rsync takes it. */
export type Side = { readonly local: string } | { readonly host: string; readonly path: string };

/** Makes the target like the source; calls `onChange` for each difference. */
export async function rsync(
  context: Context,
  source: Side,
  target: Side,
  { onChange, ...options }: SyncOptions & { onChange(change: Change): Promise<void> },
): Promise<void> {
  const args = [...rsyncArguments(context, options, source), '--', inside(source), inside(target)];
  const { cwd, env, interrupts } = context;
  const { signal } = interrupts;
  const child = spawn('rsync', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const [[code, killedBy]] = await Promise.all([
    closed,
    printChanges(child.stdout, onChange),
    printErrors(context, child.stderr),
  ]).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  if (code !== 0 && code !== VANISHED) throw failure(code ?? killedBy);
}

/** Files were removed from the source in the meantime. */
const VANISHED = 24;
const PARTIAL = 23;

function rsyncArguments(context: Context, options: SyncOptions, source: Side): readonly string[] {
  const isFromComputer = 'host' in source;
  return [
    ...['--recursive', '--links', '--perms', '--times', '--omit-dir-times'],
    // Do not let the remote shell split names.
    '--protect-args',
    // What the computer sends may not become a program with the rights of root, or lead elsewhere.
    ...(isFromComputer ? ['--chmod=ug-s,o-t', '--safe-links'] : []),
    ...(options.delete ? ['--delete-after'] : []),
    ...(options.update ? ['--update'] : []),
    ...(options.dryRun ? ['--dry-run'] : []),
    ...options.exclude.map((pattern) => `--exclude=${pattern}`),
    ...(options.gitignore ? ['--exclude=.git/', '--filter=:- .gitignore'] : []),
    ...['--8-bit-output', '--out-format=%i %n'],
    `--rsh=${remoteShell(context)}`,
  ];
}

/** rsync splits it at spaces; within quotes, a quote is written twice. */
function remoteShell({ globals }: Context): string {
  const { profile, baseUrl, cacert } = globals;
  const words = [
    process.execPath,
    fileURLToPath(new URL('bin/vc.js', packageRoot)),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(cacert === undefined ? [] : ['--cacert', cacert]),
    'ssh',
  ];
  return words.map((word) => `'${word.replaceAll("'", "''")}'`).join(' ');
}

/** The content of a directory: the slash at the end is not optional for rsync. */
function inside(side: Side): string {
  const path = 'host' in side ? side.path : side.local;
  const directory = path.endsWith('/') ? path : `${path}/`;
  return 'host' in side ? `${side.host}:${directory}` : directory;
}

/** Reads the lines of `%i %n`; see `--itemize-changes` in rsync(1). */
async function printChanges(stdout: Readable, onChange: (change: Change) => Promise<void>) {
  for await (const line of createInterface({ input: stdout })) {
    const change = parseChange(line);
    if (change !== undefined) await onChange(change);
  }
}

/** Undefined for what has only another time, and for messages. */
export function parseChange(line: string): Change | undefined {
  const [, item = '', path = ''] = /^(\*deleting {2}|[<>ch.][fdLDS].{9}) (.+)$/.exec(line) ?? [];
  if (path === '' || path === './') return undefined;
  if (item.startsWith('*')) return { type: 'deleted', path };
  if (item.slice(2).startsWith('+')) return { type: 'created', path };
  const hasOtherMode = item[5] === 'p';
  return item.startsWith('.') && !hasOtherMode ? undefined : { type: 'changed', path };
}

/** Contains output of the computer: filter control characters. */
async function printErrors({ io }: Context, stderr: Readable): Promise<void> {
  const text = new SafeText();
  for await (const chunk of stderr) await write(io.stderr, text.write(chunk));
  await write(io.stderr, text.end());
}

/** Throws if this machine has no rsync. */
export async function requireRsync({ env }: Pick<Context, 'env'>): Promise<void> {
  if ((await findProgram('rsync', env)) !== undefined) return;
  throw new CliError('there is no program rsync on this machine', {
    remedy:
      'install it, on Debian: apt-get install rsync; or copy with vc cp, which does not need it',
  });
}

function failure(code: number | string | null): CliError {
  if (code === ExitCode.noProgram) {
    return new CliError('the computer has no rsync', {
      remedy: 'install it there, on Debian: sudo apt-get install rsync; or copy with vc cp',
    });
  }
  const what = code === PARTIAL ? 'rsync could not copy everything' : `rsync ended with ${code}`;
  return new CliError(what, { remedy: 'see its messages above' });
}
