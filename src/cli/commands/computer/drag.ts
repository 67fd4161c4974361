import { scaleOption, settleOption } from '../../after-action.js';
import { act, runningComputer } from '../../computers.js';
import { argument, choice, defineCommand, value } from '../../define.js';
import { number, pixel } from '../../parse.js';

const seconds = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });

export const command = defineCommand({
  name: 'drag',
  summary: 'Press the mouse at one point and release it at another',
  arguments: {
    computer: runningComputer,
    x1: argument('x1', 'pixels from the left, where to press', pixel),
    y1: argument('y1', 'pixels from the top, where to press', pixel),
    x2: argument('x2', 'pixels from the left, where to release', pixel),
    y2: argument('y2', 'pixels from the top, where to release', pixel),
  },
  options: {
    button: choice('-b, --button <name>', 'button to hold', ['left', 'right', 'middle'], {
      otherwise: 'left',
    }),
    duration: value('--duration <seconds>', 'time from press to release', seconds, {
      otherwise: '0.5',
    }),
    scale: scaleOption,
    settle: settleOption,
  },
  examples: [
    {
      does: 'Move a window by its title bar',
      command: 'vc computer drag demo/desktop 400 90 600 200',
    },
  ],
  async run(context, { computer, x1, y1, x2, y2 }, { button, duration, scale, settle }) {
    const points = { start_x: x1, start_y: y1, end_x: x2, end_y: y2 };
    await act(context, 'drag', computer, {
      ...points,
      ...{ button, duration, scale },
      settle: settle || undefined,
    });
    return undefined;
  },
});
