import { scaleOption, settleOption } from '../../after-action.js';
import { act, runningComputer } from '../../computers.js';
import { argument, choice, defineCommand, flag, list, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { nonEmpty, number, pixel } from '../../parse.js';

export const command = defineCommand({
  name: 'click',
  summary: 'Click with the mouse',
  details: 'Pixels from the top left corner of the screen. Ends when the click has arrived.',
  arguments: {
    computer: runningComputer,
    x: argument('x', 'pixels from the left', pixel),
    y: argument('y', 'pixels from the top', pixel),
  },
  options: {
    button: choice('-b, --button <name>', 'button to press', ['left', 'right', 'middle'], {
      otherwise: 'left',
    }),
    right: flag('--right', 'the right button'),
    middle: flag('--middle', 'the middle button'),
    double: flag('--double', 'a double click'),
    clicks: value('--clicks <n>', 'clicks: 1 to 3', number({ min: 1, max: 3, unit: 'clicks' })),
    scale: scaleOption,
    settle: settleOption,
    hold: list('--hold <key>', 'hold a key meanwhile, for example ctrl; repeatable', nonEmpty),
  },
  examples: [
    { does: 'Click in the middle of a screen', command: 'vc computer click demo/desktop 640 400' },
    {
      does: 'Open the menu of what is there',
      command: 'vc computer click demo/desktop 640 400 --right',
    },
    {
      does: 'Add to a selection',
      command: 'vc computer click demo/desktop 200 300 --hold ctrl',
    },
  ],
  async run(context, { computer, x, y }, options) {
    const { button, right, middle, double, clicks, hold, scale, settle } = options;
    const buttons = [button, right && 'right', middle && 'middle'].filter(Boolean);
    if (new Set(buttons).size > 1) throw new UsageError('one click has one button');
    if (double && clicks !== undefined) throw new UsageError('give --double or --clicks, not both');
    await act(context, 'click', computer, {
      ...{ x, y, clicks },
      button: right ? 'right' : middle ? 'middle' : button,
      double: double || undefined,
      keys: hold.length > 0 ? hold : undefined,
      scale,
      settle: settle || undefined,
    });
    return undefined;
  },
});
