import { act, computerArgument } from '../../computers.js';
import { argument, defineCommand } from '../../define.js';
import { pixel } from '../../parse.js';

export const command = defineCommand({
  name: 'move',
  summary: 'Move the mouse',
  arguments: {
    computer: computerArgument,
    x: argument('x', 'pixels from the left', pixel),
    y: argument('y', 'pixels from the top', pixel),
  },
  options: {},
  examples: [{ does: 'Hover over a point', command: 'vc computer move demo/desktop 640 400' }],
  async run(context, { computer, x, y }) {
    await act(context, 'move', computer, { x, y });
    return undefined;
  },
});
