import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { outputTarget, writeOutputFile } from '../../lib/fs/output-file.js';
import { count } from '../../lib/text/count.js';
import { stateDirectory } from '../../profile/index.js';
import { CliError, notFound } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { argument, defineCommand, flag, value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { done, note, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { size } from '../output/size.js';
import { adminSocket, backupOfService } from '../serve/local-service.js';

export const command = defineCommand({
  name: 'backup',
  summary: 'Back up the state of the service to a file',
  details: [
    'The backup has owners, hashes of keys, projects, computers, RTMP targets, the audit log and',
    'the access to a cluster, but not the disks and images of computers. Run it on the machine of the service, running or not. The',
    'file gives access to the computers, so only its owner can read it (0600).',
  ].join(' '),
  arguments: { file: argument('file', 'file to write', nonEmpty, { completes: 'file' }) },
  options: {
    state: value('--state <directory>', 'state directory', nonEmpty, {
      otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
    }),
    force: flag('-f, --force', 'overwrite an existing file'),
  },
  examples: [
    { does: 'Back up the state', command: 'vc backup vc.backup' },
    {
      does: 'Replace the previous backup, for example from cron',
      command: 'vc backup --force /var/backups/vc.backup',
    },
  ],
  async run(context, { file }, { state, force }) {
    const path = resolve(context.cwd, file);
    const directory = resolve(context.cwd, state ?? stateDirectory(context.env));
    const unwritable = (cause: unknown) => {
      throw cannotWrite(path, cause);
    };
    const target = await outputTarget(path).catch(unwritable);
    // Written next to the target first, so that it appears atomically.
    const beside = target.isSpecial ? tmpdir() : dirname(target.path);
    const part = await mkdtemp(join(beside, '.vc-backup-')).catch(unwritable);
    try {
      const written = join(part, basename(path));
      await during(context.progress('Writing the backup'), write(context, directory, written));
      const { describeBackup } = await import('../../fleet/store/backup/backup.js');
      const { facts, counts } = describeBackup(written);
      const { size: bytes } = await stat(written);
      if (target.isSpecial) {
        await writeOutputFile(path, createReadStream(written), {
          signal: context.interrupts.signal,
        });
      } else await moveTo(written, force ? target.path : path, force ? 'replace' : 'keep');
      if (context.globals.json) {
        await printJson(context, { file: path, bytes, ...facts, ...counts });
      } else {
        const { projects, computers } = counts;
        await done(
          context,
          `wrote ${path} (${size(bytes)}): ${count(projects, 'project')}, ${count(computers, 'computer')}`,
        );
        await note(context, 'the file gives access to the computers; keep it private');
      }
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  },
});

/** Writes the backup: from the running service, else from its files. */
async function write(context: Context, directory: string, path: string): Promise<void> {
  const { signal } = context.interrupts;
  const stream = await backupOfService(adminSocket(directory), signal);
  if (stream) return pipeline(stream, createWriteStream(path, { mode: 0o600, flush: true }));
  const { hasState } = await import('../../fleet/store/backup/restore.js');
  if (!hasState(directory)) {
    throw notFound(`no service state in ${directory}`, 'give the state directory with --state');
  }
  const { openStore } = await import('../../fleet/store/index.js');
  const { packageVersion } = await import('../../lib/package-root.js');
  const store = openStore(directory);
  try {
    store.backup(path, packageVersion());
  } finally {
    store.close();
  }
}

async function moveTo(from: string, to: string, existing: 'replace' | 'keep'): Promise<void> {
  if (existing === 'replace') return rename(from, to);
  await link(from, to).catch((cause) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new CliError(`${to} already exists`, { remedy: 'add --force to overwrite it', cause });
  });
}
