import { SCROLL_DIRECTIONS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand, oneOf, value } from '../../framework/define.js';
import { point, scrollArgument } from '../../input/position.js';
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
    rest: scrollArgument,
  },
  options: {
    at: value('--at <x,y>', 'same as the position', point),
    scale: scaleOption,
    settle: settleOption,
  },
  examples: [
    { does: 'Scroll down', command: 'vc scroll demo/desktop down 5' },
    { does: 'Scroll at a point', command: 'vc scroll demo/desktop up 640,400' },
  ],
  async run(context, { computer, direction, rest }, { at, scale, settle }) {
    if (at !== undefined && rest.x !== undefined) throw new UsageError('two positions given');
    await act(context, 'scroll', computer, { direction, ...rest, ...at, scale, settle });
  },
});
