import { SCROLL_DIRECTIONS } from '../../../contract/constants.js';
import { argument, defineCommand, oneOf, optional, value } from '../../framework/define.js';
import { number, point } from '../../input/parse.js';
import { scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'scroll',
  summary: 'Scroll with the mouse wheel',
  arguments: {
    computer: runningComputer,
    direction: argument('direction', 'up, down, left or right', oneOf(SCROLL_DIRECTIONS), {
      choices: SCROLL_DIRECTIONS,
    }),
    amount: optional(
      'amount',
      'wheel steps (default: 3)',
      number({ min: 1, max: 100, unit: 'steps' }),
    ),
  },
  options: {
    at: value('--at <x,y>', 'move the mouse there first', point),
    scale: scaleOption,
    settle: settleOption,
  },
  examples: [
    { does: 'Scroll down', command: 'vc scroll demo/desktop down 5' },
    { does: 'Scroll at a point', command: 'vc scroll demo/desktop up --at 640,400' },
  ],
  async run(context, { computer, direction, amount }, { at, scale, settle }) {
    await act(context, 'scroll', computer, {
      ...{ direction, amount, scale, settle, ...at },
    });
  },
});
