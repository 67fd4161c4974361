import { randomUUID } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ComputerFiles } from '../../../client/files/files.js';
import { type ComputerAddress, computerParameters } from '../../../client/http/address.js';
import { count } from '../../../lib/text/count.js';
import { type CopyPath, parseCopyPath } from '../../copy/copy-path.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { cannotRead, cannotWrite } from '../../errors/file-errors.js';
import type { Context } from '../../framework/context.js';
import { argument, defineCommand, flag, list } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, note, print, printJsonLine } from '../../output/print.js';
import { untilInterrupted } from '../../output/watch/until-interrupted.js';
import { publicKey } from '../../ssh/identity.js';
import { HOST_SUFFIX } from '../../ssh/options.js';
import { requireRsync, rsync, type Side, type SyncOptions } from '../../sync/rsync.js';
import { copyAndWatch } from '../../sync/watch.js';
import { isNotFound } from '../../targets/client.js';
import { computerAddress, describeAddress, inCommands } from '../../targets/computer-address.js';
import { refuseStopped } from '../../targets/stopped.js';

const path = (name: string) =>
  argument(name, 'directory, or COMPUTER:DIRECTORY', parseCopyPath, { completes: 'copy-path' });

export const command = defineCommand({
  name: 'sync',
  summary: 'Make a directory like another, to or from a computer',
  details: [
    'One side is COMPUTER:DIRECTORY; a relative one starts at the home directory. Copies what differs in',
    'size or time with the rsync of this machine over vc ssh, and prints each change. The target is',
    'created if it is missing; what only it has stays, unless --delete is given, and what both have is',
    'replaced, unless --update is given and it is newer there. Permissions, times',
    'and symbolic links are kept, but from a computer no link that leaves the directory. --gitignore',
    'leaves out .git and what the .gitignore files name, also from --delete; rules with ! have no',
    'effect. --watch copies again after each change until Ctrl-C. With --json each change is one line of',
    'JSON, and a line of the type synced follows.',
  ].join(' '),
  arguments: { source: path('source'), target: path('target') },
  options: {
    delete: flag('--delete', 'remove what the source does not have from the target'),
    update: flag('-u, --update', 'leave files that are newer in the target'),
    exclude: list(
      '--exclude <pattern>',
      'leave out files that match a pattern of rsync; repeatable',
      nonEmpty,
    ),
    gitignore: flag('--gitignore', 'leave out .git and what .gitignore files name'),
    dryRun: flag('-n, --dry-run', 'print what would be changed, and change nothing'),
    watch: flag('-w, --watch', 'copy again after each change, until Ctrl-C'),
  },
  examples: [
    { does: 'Copy a project to a computer', command: 'vc sync ./project demo/desktop:project' },
    {
      does: 'See what would be removed from the computer',
      command: 'vc sync ./project demo/desktop:project --delete --dry-run',
    },
    {
      does: 'Keep the computer up to date while you work',
      command: 'vc sync ./project demo/desktop:project --gitignore --delete --watch',
    },
    {
      does: 'Fetch what differs',
      command: 'vc sync demo/desktop:Downloads ./downloads',
    },
  ],
  async run(context, { source, target }, { watch, ...options }) {
    if (watch && options.dryRun) throw new UsageError('--watch and --dry-run cannot be combined');
    const [local, remote] = sides(source, target);
    const isUpload = source === local;
    const directory = resolve(context.cwd, local.path);
    if (isUpload) await refuseOther(local.path, directory);
    await requireRsync(context);
    const named = remote.computer;
    const address = await runningComputer(context, named);
    await publicKey(context);
    const files = new ComputerFiles(await context.client(), address);
    const { signal } = context.interrupts;
    // A dry run creates no target: everything differs from one that does not exist.
    const nothing = `vc-sync-${randomUUID()}`;
    let there: string;
    if (!isUpload) there = await sourceIn(files, remote.path, signal);
    else if (options.dryRun) there = await targetIn(files, remote.path, `/tmp/${nothing}`, signal);
    else there = (await files.makeDirectory(remote.path, { recursive: true, signal })).path;
    const here = isUpload ? directory : await targetHere(local.path, directory, options, nothing);
    const host = `${address.id}${HOST_SUFFIX}`;
    const pair: [Side, Side] = [{ local: here }, { host, path: there }];
    if (!isUpload) pair.reverse();
    const copy = (inner: Context) => copyOnce(inner, pair, options);
    const to = isUpload ? `${named}:${remote.path}` : local.path;
    if (!watch) {
      const changes = await copy(context);
      const said = options.dryRun ? 'would be made' : 'made';
      await done(
        context,
        changes === 0 ? `${to} is up to date` : `${count(changes, 'change')} ${said} in ${to}`,
      );
      return;
    }
    await note(context, 'watching for changes; end with Ctrl-C');
    await untilInterrupted(context, (inner) =>
      copyAndWatch(inner, {
        address,
        local: isUpload ? here : undefined,
        remote: there,
        copy: () => copy(inner),
        gone: () => goneError(inner, named),
      }),
    );
  },
});

type Local = Extract<CopyPath, { kind: 'local' }>;
type Remote = Extract<CopyPath, { kind: 'remote' }>;

/** The directory of this machine, and that of the computer. */
function sides(source: CopyPath, target: CopyPath): [Local, Remote] {
  for (const each of [source, target]) {
    if (each.kind === 'pipe') throw new UsageError('a directory cannot be - here');
    if (each.kind === 'remote' && each.computer === '') {
      throw new UsageError(`:${each.path}: no computer before the colon`);
    }
  }
  if (source.kind === 'local' && target.kind === 'remote') return [source, target];
  if (source.kind === 'remote' && target.kind === 'local') return [target, source];
  const isBoth = source.kind === 'remote';
  throw new UsageError(
    isBoth
      ? 'one of the directories must be on this machine'
      : 'no directory is in a computer: write COMPUTER:DIRECTORY',
    isBoth ? 'copy between computers with vc cp' : undefined,
  );
}

/** Throws unless the source is a directory. */
async function refuseOther(given: string, directory: string): Promise<void> {
  const stats = await stat(directory).catch((cause: unknown) => {
    throw cannotRead(given, cause);
  });
  if (!stats.isDirectory()) throw notADirectory(given);
}

function notADirectory(given: string): UsageError {
  return new UsageError(`${given} is not a directory`, 'copy a file with vc cp');
}

/** Rejects if it does not run, before rsync is started. */
async function runningComputer(context: Context, named: string): Promise<{ id: string }> {
  const address = await computerAddress(context, named);
  const { id, status } = await find(context, address);
  refuseStopped(status, describeAddress(address), inCommands(context, named));
  return { id };
}

async function find(context: Context, address: ComputerAddress) {
  const client = await context.client();
  const params = computerParameters(address);
  return client.request('getComputer', { params, signal: context.interrupts.signal });
}

/** Why a computer that was reached is not any more. */
async function goneError(context: Context, named: string): Promise<Error> {
  try {
    await runningComputer(context, named);
    return new CliError(`the connection to ${named} was lost`, {
      remedy: 'run the command again',
    });
  } catch (error) {
    return error instanceof Error ? error : new CliError(String(error));
  }
}

/** The absolute path of a directory in the computer. */
async function sourceIn(files: ComputerFiles, given: string, signal: AbortSignal) {
  const entry = await files.entry(given, { signal });
  if (entry.type !== 'directory') throw notADirectory(given);
  return entry.path;
}

async function targetIn(
  files: ComputerFiles,
  given: string,
  otherwise: string,
  signal: AbortSignal,
): Promise<string> {
  return sourceIn(files, given, signal).catch((error: unknown) => {
    if (isNotFound(error)) return otherwise;
    throw error;
  });
}

async function targetHere(
  given: string,
  directory: string,
  { dryRun }: SyncOptions,
  nothing: string,
): Promise<string> {
  const stats = await stat(directory).catch(() => undefined);
  if (stats !== undefined && !stats.isDirectory()) throw notADirectory(given);
  if (stats === undefined && dryRun) return join(tmpdir(), nothing);
  await mkdir(directory, { recursive: true }).catch((cause: unknown) => {
    throw cannotWrite(given, cause);
  });
  return directory;
}

/** Prints each change, and resolves to their number. */
async function copyOnce(context: Context, [source, target]: [Side, Side], options: SyncOptions) {
  let changes = 0;
  await rsync(context, source, target, {
    ...options,
    onChange: async (change) => {
      changes += 1;
      if (context.globals.json) await printJsonLine(context, change);
      else if (!context.globals.quiet) await print(context, `${change.type} ${change.path}`);
    },
  });
  if (context.globals.json) await printJsonLine(context, { type: 'synced', changes });
  return changes;
}
