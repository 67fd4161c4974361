import { ComputerFiles } from '../../../client/files/files.js';
import { computerParameters } from '../../../client/http/address.js';
import { count } from '../../../lib/text/count.js';
import type { Copy } from '../../copy/copy.js';
import { type CopyPath, parseCopyPath } from '../../copy/copy-path.js';
import { download, downloadOutput } from '../../copy/download.js';
import { noComputer } from '../../copy/forgotten-colon.js';
import { Meter } from '../../copy/meter.js';
import { type Transfer, transfer } from '../../copy/transfer.js';
import { upload, uploadInput } from '../../copy/upload.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, many } from '../../framework/define.js';
import { done, printJson } from '../../output/print.js';
import { size } from '../../output/size.js';
import { computerAddress } from '../../targets/computer-address.js';

export const command = defineCommand({
  name: 'cp',
  summary: 'Copy files and directories to, from or between computers',
  details: [
    'One or both sides are COMPUTER:PATH. A relative PATH starts at the home directory. Directories',
    'are copied recursively, into the target if that is a directory; DIRECTORY/. is its content. Existing',
    'directories are merged, and existing files are replaced atomically. Permissions are kept.',
    'Symbolic links are copied as links; from a computer only links that stay within the copied',
    'directory. Between computers the bytes pass through vc. - is stdin or stdout. Write ./ before a',
    'local path that contains a colon.',
  ].join(' '),
  arguments: {
    paths: many('path', 'sources, then the target', { completes: 'copy-path' }),
  },
  options: {
    recursive: flag('-r, --recursive', 'ignored, always recursive', { hidden: true }),
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
      does: 'Copy a file to stdout',
      command: 'vc cp demo/desktop:/etc/os-release - | tail',
    },
  ],
  async run(context, { paths }) {
    const parsed = paths.map(parseCopyPath);
    const target = parsed.at(-1);
    const sources = parsed.slice(0, -1);
    const [first] = sources;
    if (first === undefined || target === undefined) throw new UsageError('the target is missing');
    const copy = await begin(context, sources, target);
    const progress = context.progress('Copying');
    const working: Working = { ...copy, meter: new Meter(progress) };
    try {
      await run(working, sources, target);
    } finally {
      progress.stop();
    }
    const { files, bytes, seconds } = working.meter;
    const { failures, skipped } = working;
    if (context.globals.json) {
      const errors = failures.map(({ code, message }) => ({ code, message }));
      if (target.kind !== 'pipe') await printJson(context, { files, bytes, skipped, errors });
    } else if (failures.length === 0 && target.kind !== 'pipe') {
      const speed = seconds > 1 && bytes > 1e6 ? ` at ${size(bytes / seconds)}/s` : '';
      await done(context, `copied ${count(files, 'file')}, ${size(bytes)}${speed}`);
    }
    const codes = new Set(failures.map(({ exitCode }) => exitCode));
    const [only = ExitCode.failure] = codes;
    if (failures.length === 0) return ExitCode.ok;
    return codes.size === 1 ? only : ExitCode.failure;
  },
});

/** A copy, and the files of the sources' computer if the target is in a computer too. */
interface Working extends Copy {
  readonly from?: ComputerFiles;
}

/** Checks that all sources are on one side, and finds the computers. */
async function begin(
  context: Context,
  sources: readonly CopyPath[],
  target: CopyPath,
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
  const to = target.kind === 'remote' ? await computerAddress(context, target.computer) : from;
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

async function run(copy: Working, sources: readonly CopyPath[], target: CopyPath): Promise<void> {
  const { stdin, stdout } = copy.context.io;
  const paths = sources.flatMap((path) => (path.kind === 'pipe' ? [] : [path.path]));
  const [path] = paths;
  if (target.kind === 'remote') {
    if (path === undefined) await uploadInput(copy, stdin, target.path);
    else if (isTransfer(copy)) await transfer(copy, paths, target.path);
    else await upload(copy, paths, target.path);
  } else if (target.kind === 'local') await download(copy, paths, target.path);
  else if (path !== undefined) await downloadOutput(copy, path, stdout);
}

function isTransfer(copy: Working): copy is Transfer {
  return copy.from !== undefined;
}
