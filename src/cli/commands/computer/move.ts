import { scaleOption, settleOption } from '../../after-action.js';
import { act, runningComputer } from '../../computers.js';
import { argument, defineCommand } from '../../define.js';
import { pixel } from '../../parse.js';

export const command = defineCommand({
  name: 'move',
  summary: 'Move the mouse',
  arguments: {
    computer: runningComputer,
    x: argument('x', 'pixels from the left', pixel),
    y: argument('y', 'pixels from the top', pixel),
  },
  options: { scale: scaleOption, settle: settleOption },
  examples: [{ does: 'Hover over a point', command: 'vc computer move demo/desktop 640 400' }],
  async run(context, { computer, x, y }, { scale, settle }) {
    await act(context, 'move', computer, { x, y, scale, settle: settle || undefined });
    return undefined;
  },
});
