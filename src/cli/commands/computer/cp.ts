import { ComputerFiles } from '../../../client/files/files.js';
import { computerParameters } from '../../../client/http/address.js';
import { count } from '../../../lib/text/count.js';
import type { Copy } from '../../copy/copy.js';
import { type CopyPath, parseCopyPath } from '../../copy/copy-path.js';
import { download, downloadOutput } from '../../copy/download.js';
import { Meter } from '../../copy/meter.js';
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
  summary: 'Copy files and directories to or from a computer',
  details: [
    'One side is COMPUTER:PATH. A relative PATH starts at the home directory. Directories are copied',
    'recursively, into the target if that is a directory; DIRECTORY/. is its content. Existing',
    'directories are merged, and existing files are replaced atomically. Permissions are kept.',
    'Symbolic links are copied as links; from a computer only links that stay within the copied',
    'directory. - is stdin or stdout. Write ./ before a local path that contains a colon.',
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
    const working = { ...copy, meter: new Meter(progress) };
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

/** Checks that the paths name exactly one computer. */
async function begin(
  context: Context,
  sources: readonly CopyPath[],
  target: CopyPath,
): Promise<Omit<Copy, 'meter'>> {
  const computers = new Set(
    [...sources, target].flatMap((path) => (path.kind === 'remote' ? [path.computer] : [])),
  );
  const [computer] = computers;
  if (computer === undefined) throw new UsageError('no path names a computer: write COMPUTER:PATH');
  const isUp = target.kind === 'remote';
  const mixed = sources.some(({ kind }) => (kind === 'remote') === isUp);
  if (mixed || computers.size > 1) {
    const remedy = 'copy through a pipe: vc cp A:FILE - | vc cp - B:FILE';
    throw new UsageError('one side must be a computer, the other this machine', remedy);
  }
  if (sources.length > 1 && [...sources, target].some(({ kind }) => kind === 'pipe')) {
    throw new UsageError('- needs exactly one source and one target');
  }
  const address = await computerAddress(context, computer);
  const client = await context.client();
  const { signal } = context.interrupts;
  const files = new ComputerFiles(client, address);
  const params = computerParameters(address);
  const findComputer = () => client.request('getComputer', { params, signal });
  return { context, files, findComputer, signal, failures: [], skipped: 0 };
}

async function run(copy: Copy, sources: readonly CopyPath[], target: CopyPath): Promise<void> {
  const { stdin, stdout } = copy.context.io;
  const paths = sources.flatMap((path) => (path.kind === 'pipe' ? [] : [path.path]));
  const [path] = paths;
  if (target.kind === 'remote') {
    if (path === undefined) await uploadInput(copy, stdin, target.path);
    else await upload(copy, paths, target.path);
  } else if (target.kind === 'local') await download(copy, paths, target.path);
  else if (path !== undefined) await downloadOutput(copy, path, stdout);
}
