import { createWriteStream } from 'node:fs';
import { link, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { stateDirectory } from '../../profile/index.js';
import type { Context } from '../context.js';
import { argument, defineCommand, flag, value } from '../define.js';
import { CliError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { cannotWrite } from '../file-errors.js';
import { done, note, printJson } from '../output.js';
import { nonEmpty } from '../parse.js';
import { during } from '../progress.js';
import { backupOfService, localSocket } from '../serve/local-service.js';
import { size } from '../size.js';

export const command = defineCommand({
  name: 'backup',
  summary: "Write the service's state to a file",
  details: [
    'While it runs or not: owners, keys (their hashes), projects, computers, RTMP targets and the ledger. Not the disks and',
    'images of computers: those stay on their engine. Whoever has the file can reach the computers,',
    'so it is for its owner alone (0600). Run it on the machine of the service.',
  ].join(' '),
  arguments: { file: argument('file', 'file to write', nonEmpty, { completes: 'file' }) },
  options: {
    state: value('--state <directory>', "the service's state", nonEmpty, {
      otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
    }),
    force: flag('-f, --force', 'overwrite the file'),
  },
  examples: [
    { does: 'Once', command: 'vc backup vc.backup' },
    { does: 'Each night, from a crontab', command: 'vc backup --force /var/backups/vc.backup' },
  ],
  async run(context, { file }, { state, force }) {
    const path = resolve(context.cwd, file);
    const directory = resolve(context.cwd, state ?? stateDirectory(context.env));
    // Beside it first: a backup that is there is whole.
    const part = await mkdtemp(join(dirname(path), '.vc-backup-')).catch((cause) => {
      throw cannotWrite(path, cause);
    });
    try {
      const written = join(part, basename(path));
      await during(context.progress('Writing the backup'), write(context, directory, written));
      const { describeBackup } = await import('../../fleet/store/backup.js');
      const { facts, counts } = describeBackup(written);
      const { size: bytes } = await stat(written);
      await put(written, path, force ? 'over' : 'beside');
      if (context.globals.json) {
        await printJson(context, { file: path, bytes, ...facts, ...counts });
      } else {
        const { projects, computers } = counts;
        await done(
          context,
          `wrote ${path} (${size(bytes)}): ${projects} projects, ${computers} computers`,
        );
        await note(context, 'it holds keys: keep it where only you can read it');
      }
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    return undefined;
  },
});

/** From the service if one runs there, else from its files. */
async function write(context: Context, directory: string, path: string): Promise<void> {
  const { signal } = context.interrupts;
  const stream = await backupOfService(localSocket(directory), signal);
  if (stream) return pipeline(stream, createWriteStream(path, { mode: 0o600, flush: true }));
  const { hasState } = await import('../../fleet/store/restore.js');
  if (!hasState(directory)) {
    throw new CliError(`there is no state of a service in ${directory}`, {
      hint: 'say where it is with --state',
      exitCode: ExitCode.notFound,
      code: 'not_found',
    });
  }
  const { openStore } = await import('../../fleet/store/index.js');
  const { packageVersion } = await import('../../package-root.js');
  const store = openStore(directory);
  try {
    store.backup(path, packageVersion());
  } finally {
    store.close();
  }
}

async function put(from: string, to: string, where: 'over' | 'beside'): Promise<void> {
  if (where === 'over') return rename(from, to);
  await link(from, to).catch((cause) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new CliError(`${to} is there already`, { hint: 'add --force to overwrite it', cause });
  });
}
