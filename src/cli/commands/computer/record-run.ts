import { MAX_TRAJECTORY_SECONDS } from '../../../contract/constants.js';
import { CliError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { argument, defineCommand, many, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { nonEmpty } from '../../input/parse.js';
import { done, note } from '../../output/print.js';
import { inCommands } from '../../targets/computer-address.js';
import { onComputer, runningComputer } from '../../targets/computers.js';
import { runLocally } from '../../terminal/run-locally.js';
import { snapshotEveryOption, startBody } from '../../trajectories/start.js';

export const command = defineCommand({
  name: 'record-run',
  summary: 'Record actions while a local command runs',
  details: [
    'Records the actions of all clients, by every route, with pictures of the screen before and',
    'after each, and writes them to a new directory: trajectory.jsonl, pictures and index.html, which shows them. It has',
    'the texts that were typed and the commands, but of secrets only {{secret:NAME}}. Returns the exit',
    'code of the command, and 125 if vc itself fails. vc computer replay carries the actions out again.',
    'With --snapshot-every, copies continue from a step: vc fork COMPUTER@step-12 COPY.',
  ].join(' '),
  runsProgram: true,
  arguments: {
    computer: runningComputer,
    directory: argument('directory', 'new directory', nonEmpty, { completes: 'file' }),
    command: many('command', 'program of this machine and its arguments'),
  },
  options: {
    for: value(
      '--for <duration>',
      'end the recording after this time',
      duration({ unit: 's', min: '1s', max: `${MAX_TRAJECTORY_SECONDS / 3600}h`, step: 'whole' }),
      { otherwise: '1h' },
    ),
    snapshotEvery: snapshotEveryOption,
  },
  examples: [
    {
      does: 'Record what a script does',
      command:
        'vc computer record-run demo/desktop login -- vc computer run demo/desktop login.jsonl',
    },
  ],
  async run(context, { computer, directory, command }, { for: seconds, snapshotEvery }) {
    const { checkNewDirectory, saveTrajectory } = await import('../../trajectories/save.js');
    await checkNewDirectory(context, directory);
    const body = startBody(seconds, snapshotEvery);
    await onComputer(context, 'startTrajectory', computer, body);
    let code: number;
    try {
      code = await runProgram(context, command);
    } catch (error) {
      await onComputer(context, 'deleteTrajectory', computer).catch(() => undefined);
      throw error;
    }
    const name = inCommands(context, computer);
    try {
      const ended = await onComputer(context, 'endTrajectory', computer);
      const { steps, end_reason: reason, message, snapshot_error: unsaved } = ended;
      await saveTrajectory(context, computer, directory);
      const early = message ?? `its end was caused by: ${reason}`;
      if (unsaved !== undefined) await note(context, `a snapshot is missing: ${unsaved}`);
      if (reason !== 'request') await note(context, `the recording ended early: ${early}`);
      await done(context, `wrote ${directory} (${steps} ${steps === 1 ? 'step' : 'steps'})`);
    } catch (error) {
      await note(context, `to get it again: vc computer trajectory ${name} -o ${directory}`);
      throw error;
    }
    return code;
  },
});

async function runProgram(context: Context, argv: readonly string[]): Promise<number> {
  return runLocally(context, argv).catch((cause: unknown) => {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such program' : cause;
    throw new CliError(`cannot run ${argv[0]}: ${String(reason)}`, { cause });
  });
}
