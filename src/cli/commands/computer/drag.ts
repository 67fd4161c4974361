import { MOUSE_BUTTONS } from '../../../contract/constants.js';
import { argument, choice, defineCommand, value } from '../../framework/define.js';
import { number, pixel } from '../../input/parse.js';
import { scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

const seconds = number({ min: 0, max: 60, unit: 'seconds', step: 'any' });

export const command = defineCommand({
  name: 'drag',
  summary: 'Drag with the mouse from one point to another',
  arguments: {
    computer: runningComputer,
    x1: argument('x1', 'start, pixels from the left', pixel),
    y1: argument('y1', 'start, pixels from the top', pixel),
    x2: argument('x2', 'end, pixels from the left', pixel),
    y2: argument('y2', 'end, pixels from the top', pixel),
  },
  options: {
    button: choice('-b, --button <name>', 'mouse button', MOUSE_BUTTONS, { otherwise: 'left' }),
    duration: value('--duration <seconds>', 'time from press to release', seconds, {
      otherwise: '0.5',
    }),
    scale: scaleOption,
    settle: settleOption,
  },
  examples: [
    {
      does: 'Move a window by its title bar',
      command: 'vc drag demo/desktop 400 90 600 200',
    },
  ],
  async run(context, { computer, x1, y1, x2, y2 }, { button, duration, scale, settle }) {
    const points = { start_x: x1, start_y: y1, end_x: x2, end_y: y2 };
    await act(context, 'drag', computer, {
      ...points,
      ...{ button, duration, scale, settle },
    });
  },
});
