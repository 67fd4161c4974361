import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { count } from '../../lib/text/count.js';
import { stateDirectory } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { cannotRead } from '../errors/file-errors.js';
import { argument, defineCommand, flag, value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { done, note, printJson } from '../output/print.js';
import { readServiceRecord, runningProcess } from '../service/record.js';
import { stateFlag } from '../service/target.js';

export const command = defineCommand({
  name: 'restore',
  summary: 'Restore service state from a backup',
  details: [
    'Stop the service first: vc service stop. After its next start, computers have the same ids and keys work; a',
    'computer whose machine no longer exists has the status error and can be removed. Machines that are not in the backup',
    'are kept, and on a cluster they become computers again. Never run two services with the same state on one engine: stop the original',
    'service first.',
  ].join(' '),
  arguments: {
    file: argument('file', 'file written by vc backup', nonEmpty, { completes: 'file' }),
  },
  options: {
    state: value('--state <directory>', 'state directory', nonEmpty, {
      otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
    }),
    replace: flag('--replace', 'replace existing state, and keep a copy of it'),
  },
  examples: [
    { does: 'Restore on a new machine', command: 'vc restore vc.backup && vc serve --detach' },
    { does: 'Replace the current state', command: 'vc restore --replace vc.backup' },
  ],
  async run(context, { file }, { state, replace }) {
    const directory = resolve(context.cwd, state ?? stateDirectory(context.env));
    const backup = resolve(context.cwd, file);
    await access(backup, constants.R_OK).catch((cause) => {
      throw cannotRead(file, cause);
    });
    const flag = stateFlag(context, directory);
    const stop = `vc service stop${flag}`;
    const record = await readServiceRecord(directory).catch(() => undefined);
    const { hasState, restoreState } = await import('../../fleet/store/backup/restore.js');
    if (hasState(directory) && !replace) {
      throw new CliError(`${directory} already has service state`, {
        remedy: `${(await runningProcess(record)) ? `stop its service (${stop}), then ` : ''}add --replace, or choose another directory with --state`,
        exitCode: ExitCode.conflict,
        code: 'conflict',
      });
    }
    const { facts, counts, replaced } = restoring(() => restoreState(directory, backup), stop);
    if (context.globals.json) {
      await printJson(context, {
        state: directory,
        replaced: replaced ?? null,
        ...facts,
        ...counts,
      });
      return undefined;
    }
    const { projects, computers } = counts;
    await done(
      context,
      `restored ${count(projects, 'project')} and ${count(computers, 'computer')} to ${directory} (backup of ${facts.created_at})`,
    );
    if (replaced) await note(context, `the previous state is in ${replaced}`);
    await note(context, 'API keys that were removed after the backup work again: vc key ls');
    for (const { engine, name } of facts.images) {
      await note(context, `its computers on ${engine} need the image ${name}`);
    }
    // Only a service in the background is started again with its options.
    const next = record?.log ? 'vc service restart' : 'vc serve --detach';
    await note(context, `next: ${next}${flag}`);
  },
});

/** Names the command that stops the service, where it runs. */
function restoring<T>(work: () => T, stop: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    throw new ApiError('conflict', error.message, { remedy: `Stop it: ${stop}`, cause: error });
  }
}
