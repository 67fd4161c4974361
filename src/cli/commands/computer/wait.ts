import { DEFAULT_SECONDS } from '../../../contract/constants.js';
import { CliError, UsageError } from '../../errors/cli-error.js';
import { choice, defineCommand, flag, optional, value } from '../../framework/define.js';
import { duration, timeLimit } from '../../input/duration.js';
import { region } from '../../input/parse.js';
import { printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerArgument, onComputer } from '../../targets/computers.js';
import { waitForStatus } from '../../targets/wait-for-status.js';

const pause = duration({ unit: 's', min: '0s', max: '60s' });

export const command = defineCommand({
  name: 'wait',
  summary: 'Wait for a time, for the screen or for a status',
  details: [
    'Needs exactly one of DURATION, --stable, --change and --for. vc screenshot, vc click, vc type and',
    'the other actions wait for a stable screen themselves with --settle.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    duration: optional('duration', 'how long to wait, at most 60s', pause),
  },
  options: {
    stable: flag('--stable', 'wait until the screen stops changing'),
    change: flag('--change', 'wait until the screen changes'),
    for: choice('--for <status>', 'wait until the computer has this status', [
      'running',
      'stopped',
    ]),
    region: value('--region <x,y,w,h>', 'only watch this part of the screen', region),
    timeout: value('--timeout <duration>', 'how long to wait', timeLimit, {
      otherwise: '10s, with --for 60s',
    }),
  },
  examples: [
    { does: 'Wait until the screen is stable', command: 'vc wait demo/desktop --stable' },
    { does: 'Wait two seconds', command: 'vc wait demo/desktop 2s' },
    {
      does: 'Wait until it is stopped',
      command: 'vc wait demo/desktop --for stopped --timeout 2m',
    },
  ],
  async run(context, { computer, duration: time }, options) {
    const { stable, change, for: status, region: area, timeout } = options;
    const given = [time !== undefined, stable, change, status !== undefined].filter(Boolean);
    if (given.length !== 1)
      throw new UsageError('give exactly one of DURATION, --stable, --change and --for');
    const until = stable ? 'stable' : change ? 'change' : undefined;
    const work: Promise<unknown> =
      status === undefined
        ? onComputer(context, 'wait', computer, {
            duration: time,
            until,
            timeout,
            region: area && [area.x, area.y, area.width, area.height],
          })
        : waitForStatus(context, computer, status, timeout ?? 60);
    const answer = await during(context.progress(`Waiting for ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
    if (isUnchanged(answer)) {
      const remedy = 'wait longer: --timeout';
      throw new CliError(`the screen did not change for ${timeout ?? DEFAULT_SECONDS.wait} s`, {
        remedy,
        code: 'guest_timeout',
      });
    }
  },
});

function isUnchanged(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'changed') === false;
}
