import { ComputerFiles } from '../../../client/files.js';
import { computerAddress, describeAddress } from '../../address.js';
import type { Context } from '../../context.js';
import type { Copy } from '../../copy/copy.js';
import { download, downloadOutput } from '../../copy/download.js';
import { Meter } from '../../copy/meter.js';
import { type Place, parsePlace } from '../../copy/places.js';
import { upload, uploadInput } from '../../copy/upload.js';
import { defineCommand, flag, many } from '../../define.js';
import { UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { done, printJson } from '../../output.js';
import { size } from '../../size.js';

export const command = defineCommand({
  name: 'cp',
  summary: 'Copy files and directories to or from a computer',
  details: [
    'One side is COMPUTER:PATH; PATH starts from the home directory unless it begins with /.',
    'Directories are copied with everything in them. A target that is a directory gets the',
    'sources into it; DIRECTORY/. stands for what is in a directory. Files that are there are',
    'replaced, each in one step when its copy is whole; directories are merged. Permissions are',
    'kept; links are copied as links, and from a computer only those that stay within the copy.',
    '- is stdin or stdout. A path here with a colon in it is written with ./ before it.',
  ].join(' '),
  arguments: {
    paths: many('path', 'the sources, then the target', { completes: 'place' }),
  },
  options: {
    recursive: flag('-r, --recursive', 'taken for granted', { hidden: true }),
  },
  examples: [
    { does: 'Copy a file in', command: 'vc computer cp report.pdf demo/desktop:' },
    { does: 'Copy a directory out', command: 'vc computer cp demo/desktop:Downloads ./downloads' },
    { does: 'Through pipes', command: 'vc computer cp demo/desktop:/var/log/dpkg.log - | tail' },
  ],
  async run(context, { paths }) {
    const places = paths.map(parsePlace);
    const target = places.at(-1);
    const sources = places.slice(0, -1);
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
      await done(
        context,
        `copied ${files} ${files === 1 ? 'file' : 'files'}, ${size(bytes)}${speed}`,
      );
    }
    const codes = new Set(failures.map(({ exitCode }) => exitCode));
    const [only = ExitCode.failure] = codes;
    if (failures.length === 0) return ExitCode.ok;
    return codes.size === 1 ? only : ExitCode.failure;
  },
});

/** The computer that is meant; exactly one has to be. */
async function begin(
  context: Context,
  sources: readonly Place[],
  target: Place,
): Promise<Omit<Copy, 'meter'>> {
  const computers = new Set(
    [...sources, target].flatMap((place) => (place.kind === 'remote' ? [place.computer] : [])),
  );
  const [computer] = computers;
  if (computer === undefined) throw new UsageError('no path is in a computer: write COMPUTER:PATH');
  const isUp = target.kind === 'remote';
  const mixed = sources.some(({ kind }) => (kind === 'remote') === isUp);
  if (mixed || computers.size > 1) {
    const hint = 'copy through a pipe: vc computer cp A:FILE - | vc computer cp - B:FILE';
    throw new UsageError('one side is a computer, the other this machine', hint);
  }
  if (sources.length > 1 && [...sources, target].some(({ kind }) => kind === 'pipe')) {
    throw new UsageError('- goes with one source and one target');
  }
  const address = await computerAddress(context, computer);
  const client = await context.client();
  const { signal } = context.interrupts;
  const files = new ComputerFiles(client, address);
  return { context, computer: describeAddress(address), files, signal, failures: [], skipped: 0 };
}

async function run(copy: Copy, sources: readonly Place[], target: Place): Promise<void> {
  const { stdin, stdout } = copy.context.io;
  const paths = sources.flatMap((place) => (place.kind === 'pipe' ? [] : [place.path]));
  const [path] = paths;
  if (target.kind === 'remote') {
    if (path === undefined) await uploadInput(copy, stdin, target.path);
    else await upload(copy, paths, target.path);
  } else if (target.kind === 'local') await download(copy, paths, target.path);
  else if (path !== undefined) await downloadOutput(copy, path, stdout);
}
