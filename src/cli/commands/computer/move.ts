import { argument, defineCommand } from '../../framework/define.js';
import { pixel } from '../../input/parse.js';
import { scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'move',
  summary: 'Move the mouse',
  arguments: {
    computer: runningComputer,
    x: argument('x', 'pixels from the left', pixel),
    y: argument('y', 'pixels from the top', pixel),
  },
  options: { scale: scaleOption, settle: settleOption },
  examples: [{ does: 'Move the mouse to a point', command: 'vc move demo/desktop 640 400' }],
  async run(context, { computer, x, y }, { scale, settle }) {
    await act(context, 'move', computer, { x, y, scale, settle });
  },
});
