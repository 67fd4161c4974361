import { ComputerFiles } from '../../../client/files/files.js';
import { type ComputerAddress, computerParameters } from '../../../client/http/address.js';
import { count } from '../../../lib/text/count.js';
import type { Copy } from '../../copy/copy.js';
import { type CopyPath, parseCopyPath } from '../../copy/copy-path.js';
import { download, downloadOutput } from '../../copy/download.js';
import { noComputer } from '../../copy/forgotten-colon.js';
import { Meter } from '../../copy/meter.js';
import { type Transfer, transfer } from '../../copy/transfer.js';
import { localFiles, upload, uploadInput } from '../../copy/upload.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, many } from '../../framework/define.js';
import { labelSelector } from '../../input/labels.js';
import { done, printJson } from '../../output/print.js';
import { during, type Progress, silentProgress } from '../../output/progress.js';
import { size } from '../../output/size.js';
import { computerAddress } from '../../targets/computer-address.js';
import { forEach } from '../../targets/for-each.js';
import {
  noComputers,
  type Selection,
  selectedComputers,
} from '../../targets/lookup/all-computers.js';

export const command = defineCommand({
  name: 'cp',
  summary: 'Copy files and directories to, from or between computers',
  details: [
    'One or both sides are COMPUTER:PATH. A relative PATH starts at the home directory. Directories',
    'are copied recursively, into the target if that is a directory; DIRECTORY/. is its content. Existing',
    'directories are merged, and existing files are replaced atomically. Permissions are kept.',
    'Symbolic links are copied as links; from a computer only links that stay within the copied',
    'directory. Between computers the bytes pass through vc. - is stdin or stdout. With --label or',
    '--all the target is :PATH, in each of the computers. Write ./ before a local path that contains a',
    'colon.',
  ].join(' '),
  arguments: {
    paths: many('path', 'sources, then the target', { completes: 'copy-path' }),
  },
  options: {
    recursive: flag('-r, --recursive', 'ignored, always recursive', { hidden: true }),
    label: {
      ...labelSelector,
      summary: 'copy to all running computers with this label; repeatable',
    },
    all: flag('--all', 'copy to the running computers that vc ls lists'),
  },
  examples: [
    { does: 'Copy a file to a computer', command: 'vc cp report.pdf demo/desktop:' },
    {
      does: 'Copy a directory from a computer',
      command: 'vc cp demo/desktop:Downloads ./downloads',
    },
    {
      does: 'Copy a directory to another computer',
      command: 'vc cp demo/desktop:Downloads demo/agent:',
    },
    {
      does: 'Copy a file to all running computers with a label',
      command: 'vc cp -l team=qa report.pdf :Documents',
    },
    {
      does: 'Copy a file to stdout',
      command: 'vc cp demo/desktop:/etc/os-release - | tail',
    },
  ],
  async run(context, { paths }, { label, all }) {
    const parsed = paths.map(parseCopyPath);
    const target = parsed.at(-1);
    const sources = parsed.slice(0, -1);
    const [first] = sources;
    const selects = all || label.length > 0;
    refuseNameless(selects ? sources : parsed);
    if (first === undefined || target === undefined) throw new UsageError('the target is missing');
    if (selects) return copyToEach(context, { label, all }, sources, target);
    const copy = await begin(context, sources, target);
    const progress = context.progress('Copying');
    const working = await during(progress, run(copy, sources, target, progress));
    const { failures, skipped } = working;
    if (context.globals.json) {
      const { files, bytes } = working.meter;
      const errors = failures.map(({ code, message }) => ({ code, message }));
      if (target.kind !== 'pipe') await printJson(context, { files, bytes, skipped, errors });
    } else if (failures.length === 0 && target.kind !== 'pipe') {
      await done(context, copied(working.meter));
    }
    return exitCodeOf(working);
  },
});

function refuseNameless(paths: readonly CopyPath[]): void {
  const found = paths.find((path) => path.kind === 'remote' && path.computer === '');
  if (found === undefined || found.kind !== 'remote') return;
  throw new UsageError(
    `:${found.path}: no computer before the colon`,
    'name it; to copy to several computers: vc cp -l team=qa FILE :PATH',
  );
}

function copied({ files, bytes, seconds }: Meter): string {
  const speed = seconds > 1 && bytes > 1e6 ? ` at ${size(bytes / seconds)}/s` : '';
  return `copied ${count(files, 'file')}, ${size(bytes)}${speed}`;
}

/** That of the failures, if they have the same. */
function exitCodeOf({ failures }: Copy): number {
  const codes = new Set(failures.map(({ exitCode }) => exitCode));
  const [only = ExitCode.failure] = codes;
  if (failures.length === 0) return ExitCode.ok;
  return codes.size === 1 ? only : ExitCode.failure;
}

/** Copies to each of the running computers of a selection, a few at a time. */
async function copyToEach(
  context: Context,
  selection: Selection,
  sources: readonly CopyPath[],
  target: CopyPath,
): Promise<number> {
  if (target.kind !== 'remote' || target.computer !== '') {
    const remedy = 'for example: vc cp -l team=qa report.pdf :Documents';
    throw new UsageError('with --label or --all the target is :PATH', remedy);
  }
  if (sources.some(({ kind }) => kind === 'pipe')) {
    throw new UsageError('stdin can be copied to one computer only');
  }
  // Once, before the first computer gets anything.
  await localFiles(
    context,
    sources.flatMap((path) => (path.kind === 'local' ? [path.path] : [])),
  );
  const computers = await selectedComputers(context, selection);
  if (computers.length === 0) return noComputers(context, 'running computers', selection.label);
  const ids = new Map(computers.map((one) => [`${one.project_name}/${one.name}`, one.id]));
  return forEach(context, {
    names: [...ids.keys()],
    asList: true,
    doing: `Copying to ${count(ids.size, 'computer')}`,
    work: async (computer) => {
      const copy = await begin(context, sources, target, { id: ids.get(computer) ?? computer });
      const working = await run({ ...copy, computer }, sources, target, silentProgress);
      const { meter, failures, skipped } = working;
      const [failure] = failures;
      if (failure !== undefined) {
        const message = `${count(failures.length, 'file')} could not be copied: ${failure.message}`;
        throw new CliError(message, { exitCode: exitCodeOf(working), code: failure.code });
      }
      return { files: meter.files, bytes: meter.bytes, skipped };
    },
    did: (name, { files, bytes }) => `copied ${count(files, 'file')}, ${size(bytes)} to ${name}`,
  });
}

/** A copy, and the files of the sources' computer if the target is in a computer too. */
interface Working extends Copy {
  readonly from?: ComputerFiles;
}

/** Checks that all sources are on one side, and finds the computers. */
async function begin(
  context: Context,
  sources: readonly CopyPath[],
  target: CopyPath,
  selected?: ComputerAddress,
): Promise<Omit<Working, 'meter'>> {
  const remote = sources.flatMap((path) => (path.kind === 'remote' ? [path.computer] : []));
  const [source] = remote;
  if (source === undefined && target.kind !== 'remote') {
    throw await noComputer(context, [...sources, target]);
  }
  if (new Set(remote).size > 1 || (source !== undefined && remote.length < sources.length)) {
    throw new UsageError(
      'all sources must be in one computer, or on this machine',
      'copy them one after the other',
    );
  }
  if (sources.length > 1 && [...sources, target].some(({ kind }) => kind === 'pipe')) {
    throw new UsageError('- needs exactly one source and one target');
  }
  const client = await context.client();
  const { signal } = context.interrupts;
  const from = source === undefined ? undefined : await computerAddress(context, source);
  const named = target.kind === 'remote' && selected === undefined;
  const to = selected ?? (named ? await computerAddress(context, target.computer) : from);
  if (to === undefined) throw new UsageError('no path names a computer: write COMPUTER:PATH');
  const params = computerParameters(to);
  return {
    context,
    signal,
    failures: [],
    skipped: 0,
    files: new ComputerFiles(client, to),
    findComputer: () => client.request('getComputer', { params, signal }),
    ...(target.kind === 'remote' && from !== undefined
      ? { from: new ComputerFiles(client, from) }
      : {}),
  };
}

async function run(
  started: Omit<Working, 'meter'>,
  sources: readonly CopyPath[],
  target: CopyPath,
  progress: Progress,
): Promise<Working> {
  const copy: Working = { ...started, meter: new Meter(progress) };
  const { stdin, stdout } = copy.context.io;
  const paths = sources.flatMap((path) => (path.kind === 'pipe' ? [] : [path.path]));
  const [path] = paths;
  if (target.kind === 'remote') {
    if (path === undefined) await uploadInput(copy, stdin, target.path);
    else if (isTransfer(copy)) await transfer(copy, paths, target.path);
    else await upload(copy, paths, target.path);
  } else if (target.kind === 'local') await download(copy, paths, target.path);
  else if (path !== undefined) await downloadOutput(copy, path, stdout);
  return copy;
}

function isTransfer(copy: Working): copy is Transfer {
  return copy.from !== undefined;
}
