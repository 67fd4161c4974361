import { MAX_SCROLL_PIXELS, SCROLL_DIRECTIONS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand, oneOf, value } from '../../framework/define.js';
import { number } from '../../input/parse.js';
import { point, scrollArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
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
    pixels: value(
      '--pixels <n>',
      'scroll by pixels instead of steps; 100 are one step',
      number({ min: 1, max: MAX_SCROLL_PIXELS, unit: 'pixels' }),
    ),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    { does: 'Scroll down', command: 'vc scroll demo/desktop down 5' },
    { does: 'Scroll at a point', command: 'vc scroll demo/desktop up 640,400' },
  ],
  async run(context, { computer, direction, rest }, options) {
    const { at, pixels, scale, settle, hold } = options;
    if (at !== undefined && rest.x !== undefined) throw new UsageError('two positions given');
    if (pixels !== undefined && rest.amount !== undefined) {
      throw new UsageError('steps and --pixels cannot be combined');
    }
    const turn = pixels === undefined ? { direction } : delta(direction, pixels);
    const keys = heldKeys(hold);
    await act(context, 'scroll', computer, { ...turn, ...rest, ...at, scale, settle, keys });
  },
});

function delta(direction: (typeof SCROLL_DIRECTIONS)[number], pixels: number) {
  const signed = direction === 'up' || direction === 'left' ? -pixels : pixels;
  return direction === 'up' || direction === 'down' ? { delta_y: signed } : { delta_x: signed };
}
