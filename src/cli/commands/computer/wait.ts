import { computerArgument, onComputer } from '../../computers.js';
import { choice, defineCommand, flag, optional, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { printJson } from '../../output.js';
import { number, region } from '../../parse.js';
import { during } from '../../progress.js';
import { waitForState } from '../../states.js';

const seconds = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });
const timeouts = number({ min: 0.1, max: 86_400, unit: 'seconds', step: 'any' });

export const command = defineCommand({
  name: 'wait',
  summary: 'Wait for a time, for the screen or for a state',
  details: 'Give one of: SECONDS, --stable, --change, --for.',
  arguments: {
    computer: computerArgument,
    seconds: optional('seconds', 'how long, up to 60', seconds),
  },
  options: {
    stable: flag('--stable', 'until the screen no longer changes'),
    change: flag('--change', 'until the screen changes'),
    for: choice('--for <state>', 'until it is so', ['running', 'stopped']),
    region: value('--region <x,y,w,h>', 'look at this part of the screen only', region),
    timeout: value('--timeout <seconds>', 'give up after so long', timeouts, {
      otherwise: '10, with --for 60',
    }),
  },
  examples: [
    { does: 'Until a page has been drawn', command: 'vc computer wait demo/desktop --stable' },
    { does: 'Two seconds', command: 'vc computer wait demo/desktop 2' },
    {
      does: 'Until it is stopped',
      command: 'vc computer wait demo/desktop --for stopped --timeout 120',
    },
  ],
  async run(context, { computer, seconds }, options) {
    const { stable, change, for: state, region: area, timeout } = options;
    const given = [seconds !== undefined, stable, change, state !== undefined].filter(Boolean);
    if (given.length !== 1)
      throw new UsageError('give one of SECONDS, --stable, --change or --for');
    const until = stable ? 'stable' : change ? 'change' : undefined;
    const work: Promise<unknown> =
      state === undefined
        ? onComputer(context, 'wait', computer, {
            ...{ duration: seconds, until, timeout },
            region: area && [area.x, area.y, area.width, area.height],
          })
        : waitForState(context, computer, state, timeout ?? 60);
    const answer = await during(context.progress(`Waiting for ${computer}`), work);
    if (context.globals.json) await printJson(context, answer);
    return undefined;
  },
});
