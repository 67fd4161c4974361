import { scaleOption, settleOption } from '../../after-action.js';
import { act, runningComputer } from '../../computers.js';
import { argument, defineCommand, oneOf, optional, value } from '../../define.js';
import { number, point } from '../../parse.js';

const directions = ['up', 'down', 'left', 'right'] as const;

export const command = defineCommand({
  name: 'scroll',
  summary: 'Turn the mouse wheel',
  arguments: {
    computer: runningComputer,
    direction: argument('direction', 'up, down, left or right', oneOf(directions), {
      choices: directions,
    }),
    amount: optional(
      'amount',
      'wheel steps, 3 if not given',
      number({ min: 1, max: 100, unit: 'steps' }),
    ),
  },
  options: {
    at: value('--at <x,y>', 'move the mouse there first', point),
    scale: scaleOption,
    settle: settleOption,
  },
  examples: [
    { does: 'Scroll a page down', command: 'vc computer scroll demo/desktop down 5' },
    { does: 'Scroll at a point', command: 'vc computer scroll demo/desktop up --at 640,400' },
  ],
  async run(context, { computer, direction, amount }, { at, scale, settle }) {
    await act(context, 'scroll', computer, {
      ...{ direction, amount, scale, ...at },
      settle: settle || undefined,
    });
    return undefined;
  },
});
