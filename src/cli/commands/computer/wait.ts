import { UsageError } from '../../errors/cli-error.js';
import { choice, defineCommand, flag, optional, value } from '../../framework/define.js';
import { number, region } from '../../input/parse.js';
import { printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { computerArgument, onComputer } from '../../targets/computers.js';
import { waitForStatus } from '../../targets/wait-for-status.js';

const seconds = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });
const timeoutSeconds = number({ min: 0.1, max: 86_400, unit: 'seconds', step: 'any' });

export const command = defineCommand({
  name: 'wait',
  summary: 'Wait for a time, for the screen or for a status',
  details: 'Needs exactly one of SECONDS, --stable, --change and --for.',
  arguments: {
    computer: computerArgument,
    seconds: optional('seconds', 'seconds to wait, up to 60', seconds),
  },
  options: {
    stable: flag('--stable', 'wait until the screen stops changing'),
    change: flag('--change', 'wait until the screen changes'),
    for: choice('--for <status>', 'wait until the computer has this status', [
      'running',
      'stopped',
    ]),
    region: value('--region <x,y,w,h>', 'only watch this part of the screen', region),
    timeout: value('--timeout <seconds>', 'how long to wait', timeoutSeconds, {
      otherwise: '10, with --for 60',
    }),
  },
  examples: [
    { does: 'Wait until the screen is stable', command: 'vc wait demo/desktop --stable' },
    { does: 'Wait two seconds', command: 'vc wait demo/desktop 2' },
    {
      does: 'Wait until it is stopped',
      command: 'vc wait demo/desktop --for stopped --timeout 120',
    },
  ],
  async run(context, { computer, seconds }, options) {
    const { stable, change, for: status, region: area, timeout } = options;
    const given = [seconds !== undefined, stable, change, status !== undefined].filter(Boolean);
    if (given.length !== 1)
      throw new UsageError('give exactly one of SECONDS, --stable, --change and --for');
    const until = stable ? 'stable' : change ? 'change' : undefined;
    const work: Promise<unknown> =
      status === undefined
        ? onComputer(context, 'wait', computer, {
            ...{ duration: seconds, until, timeout },
            region: area && [area.x, area.y, area.width, area.height],
          })
        : waitForStatus(context, computer, status, timeout ?? 60);
    const answer = await during(context.progress(`Waiting for ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
  },
});
