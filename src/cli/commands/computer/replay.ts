import { resolve } from 'node:path';
import { computerParameters } from '../../../client/http/address.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { argument, defineCommand, list, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { nonEmpty, number } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';
import { computerAddress } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';

const SPEED = { min: 0.01, max: 1000 } as const;

export const command = defineCommand({
  name: 'replay',
  summary: 'Carry out recorded actions again',
  details: [
    'The directory is one of vc computer record-run or vc computer trajectory. Each action waits',
    'until the screen is like the picture that was recorded before it, and the end until it is like the',
    'last one. Small changes such as a clock do not count; what is around the pointer counts most. Where',
    `the screen differs for longer than --within, vc stops, says which step it was and returns ${ExitCode.differs}.`,
    'Actions that had failed are left out. A trajectory is a program: it runs commands and types texts, so',
    'look at one from others first. Secrets are typed only where --secret names them.',
  ].join(' '),
  arguments: {
    computer: runningComputer,
    directory: argument('directory', 'directory of a trajectory', nonEmpty, { completes: 'file' }),
  },
  options: {
    from: value(
      '--from <snapshot>',
      'begin after the step of this snapshot, or after this step',
      nonEmpty,
    ),
    speed: value(
      '--speed <factor>',
      'factor on the pauses between actions',
      number({ ...SPEED, unit: 'times as fast', step: 'any' }),
      {
        otherwise: '1',
      },
    ),
    within: value(
      '--within <duration>',
      'how long the screen may take',
      duration({ unit: 'ms', min: '0s', max: '10m' }),
      { otherwise: '10s' },
    ),
    tolerance: value(
      '--tolerance <percent>',
      'how much of the screen may differ; ten times as much around the pointer',
      number({ min: 0, max: 100, unit: 'percent', step: 'any' }),
      { otherwise: '2' },
    ),
    secret: list('--secret <name>', 'secret that texts may contain; repeatable', nonEmpty, {
      completes: 'secret',
    }),
  },
  fields: [
    'success',
    'steps',
    'step',
    'error',
    'screen_percent',
    'near_percent',
    'recorded',
    'actual',
  ],
  examples: [
    { does: 'Carry out recorded actions', command: 'vc computer replay demo/desktop login' },
    {
      does: 'Continue after step 12, in a copy that vc fork demo/desktop@step-12 again has made',
      command: 'vc computer replay demo/again login --from step-12',
    },
    {
      does: 'With short pauses, and more time for slow programs',
      command: 'vc computer replay demo/desktop login --speed 10 --within 1m',
    },
  ],
  async run(context, { computer, directory }, options) {
    const { from, speed = 1, within = 10_000, tolerance = 2, secret } = options;
    const { readTrajectory, stepsFrom } = await import('../../trajectories/read.js');
    const { replay, ScreenDiffers, describe } = await import('../../trajectories/replay.js');
    const all = await readTrajectory(resolve(context.cwd, directory), directory);
    const files = from === undefined ? all : stepsFrom(all, from);
    const params = computerParameters(await computerAddress(context, computer));
    const { signal } = context.interrupts;
    const progress = context.progress(`Replaying ${directory} in ${computer}`);
    let steps = 0;
    try {
      await replay(files, {
        client: await context.client(),
        params,
        signal,
        speed,
        tolerance,
        withinMs: within,
        secrets: secret,
        onStep: ({ step, action }) => {
          steps += 1;
          progress.update(`${computer}: step ${step} of ${all.steps.length}, ${describe(action)}`);
        },
      });
    } catch (error) {
      progress.stop();
      if (!(error instanceof ScreenDiffers) || !context.globals.json) throw error;
      const { step, message, recorded, actual, difference } = error;
      const { screen: screen_percent, near: near_percent } = difference;
      const about = { step, error: message, screen_percent, near_percent, recorded, actual };
      await printJson(context, { success: false, steps, ...about });
      return error.exitCode;
    } finally {
      progress.stop();
    }
    if (context.globals.json) await printJson(context, { success: true, steps });
    else await done(context, `replayed ${steps} ${steps === 1 ? 'step' : 'steps'} in ${computer}`);
    return ExitCode.ok;
  },
});
