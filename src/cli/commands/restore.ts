import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stateDirectory } from '../../profile/index.js';
import { argument, defineCommand, flag, value } from '../define.js';
import { CliError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { cannotRead } from '../file-errors.js';
import { done, note, printJson } from '../output.js';
import { nonEmpty } from '../parse.js';

export const command = defineCommand({
  name: 'restore',
  summary: 'Make a backup the state of the service on this machine',
  details: [
    'The service must not run. With the next "vc serve" computers whose machines are there are found',
    'again, under the same ids, and all keys work; a computer whose machine is gone reads error.',
    'Machines that the backup does not know are left alone. Where the service it was taken from still',
    'runs on the same engine, stop that one first: two must not look after the same machines.',
  ].join(' '),
  arguments: { file: argument('file', 'what vc backup wrote', nonEmpty, { completes: 'file' }) },
  options: {
    state: value('--state <directory>', 'where the state is to be', nonEmpty, {
      otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
    }),
    replace: flag('--replace', 'take the place of a state that is there; that one is kept beside'),
  },
  examples: [
    { does: 'On a new machine', command: 'vc restore vc.backup && vc serve' },
    { does: 'Instead of what is there', command: 'vc restore --replace vc.backup' },
  ],
  async run(context, { file }, { state, replace }) {
    const directory = resolve(context.cwd, state ?? stateDirectory(context.env));
    const backup = resolve(context.cwd, file);
    await access(backup, constants.R_OK).catch((cause) => {
      throw cannotRead(file, cause);
    });
    const { hasState, restoreState } = await import('../../fleet/store/restore.js');
    if (hasState(directory) && !replace) {
      throw new CliError(`${directory} holds a state already`, {
        hint: 'add --replace to put it aside, or choose another directory with --state',
        exitCode: ExitCode.conflict,
        code: 'conflict',
      });
    }
    const { facts, counts, replaced } = restoreState(directory, backup);
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
      `restored ${projects} projects and ${computers} computers of ${facts.created_at} to ${directory}`,
    );
    if (replaced) await note(context, `what was there is kept in ${replaced}`);
    for (const { engine, name } of facts.images) {
      await note(context, `its computers on ${engine} are made from the image ${name}`);
    }
    await note(context, 'next: vc serve');
    return undefined;
  },
});
