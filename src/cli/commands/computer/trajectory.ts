import { MAX_TRAJECTORY_SECONDS } from '../../../contract/constants.js';
import type { Answer } from '../../../contract/types/index.js';
import { UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, oneOf, optional, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, printJson } from '../../output/print.js';
import { size } from '../../output/size.js';
import { printRecord } from '../../output/table.js';
import { computerArgument, onComputer } from '../../targets/computers.js';
import { snapshotEveryOption, startBody } from '../../trajectories/start.js';

const ACTIONS = ['start', 'end', 'rm'] as const;

export const command = defineCommand({
  name: 'trajectory',
  summary: 'Record actions with pictures, and download them',
  details: [
    'Without an action it shows the trajectory of the computer. A computer has one; start replaces one',
    'that has ended. It records the actions of all clients until end, for an hour at most, or as long as',
    '--for says, and is kept for 24 h. -o writes the files to a new directory. See vc computer replay.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    action: { ...optional('action', 'start, end or rm', oneOf(ACTIONS)), choices: ACTIONS },
  },
  options: {
    output: value('-o, --output <directory>', 'new directory to write the files to', nonEmpty),
    for: value(
      '--for <duration>',
      'end the recording after this time',
      duration({ unit: 's', min: '1s', max: `${MAX_TRAJECTORY_SECONDS / 3600}h`, step: 'whole' }),
      { otherwise: '1h' },
    ),
    snapshotEvery: snapshotEveryOption,
  },
  fields: fields.trajectory,
  examples: [
    { does: 'Start to record', command: 'vc computer trajectory demo/desktop start' },
    {
      does: 'End the recording and download it',
      command: 'vc computer trajectory demo/desktop end -o shopping',
    },
  ],
  async run(context, { computer, action }, { output, for: seconds, snapshotEvery }) {
    if (seconds !== undefined && action !== 'start') {
      throw new UsageError('--for belongs to start');
    }
    if (snapshotEvery !== undefined && action !== 'start') {
      throw new UsageError('--snapshot-every belongs to start');
    }
    if (output !== undefined && (action === 'start' || action === 'rm')) {
      throw new UsageError(`-o: not possible with ${action}`);
    }
    if (action === 'rm') {
      const removed = await onComputer(context, 'deleteTrajectory', computer);
      if (context.globals.json) await printJson(context, removed);
      else await done(context, `removed the trajectory of ${computer}`);
      return;
    }
    if (action === 'start') {
      const body = startBody(seconds, snapshotEvery);
      const started = await onComputer(context, 'startTrajectory', computer, body);
      if (context.globals.json) await printJson(context, started);
      else await done(context, `recording the actions of ${computer}`);
      return;
    }
    const operation = action === 'end' ? 'endTrajectory' : 'getTrajectory';
    if (output === undefined) {
      return show(context, await onComputer(context, operation, computer));
    }
    const { checkNewDirectory, saveTrajectory } = await import('../../trajectories/save.js');
    await checkNewDirectory(context, output);
    const state = await onComputer(context, operation, computer);
    await saveTrajectory(context, computer, output);
    if (context.globals.json) await printJson(context, state);
    else await done(context, `wrote ${output} (${state.steps} steps, ${size(state.bytes)})`);
  },
});

async function show(context: Context, trajectory: Answer<'getTrajectory'>): Promise<void> {
  if (context.globals.json) return printJson(context, trajectory);
  const { status, started_at, started_by, ended_at, end_reason, message } = trajectory;
  const { steps, pictures, bytes, snapshots = 0, snapshot_error = '' } = trajectory;
  await printRecord(context, [
    ['status', status],
    ['started', started_at],
    ['started by', started_by ?? ''],
    ['ended', ended_at ?? ''],
    ['ended by', end_reason ?? ''],
    ['message', message ?? ''],
    ['steps', String(steps)],
    ['pictures', String(pictures)],
    ['size', size(bytes)],
    ['snapshots', String(snapshots)],
    ['snapshot error', snapshot_error],
  ]);
}
