import { defineCommand } from '../../framework/define.js';
import { positionArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'move',
  summary: 'Move the mouse',
  arguments: {
    computer: runningComputer,
    position: positionArgument,
  },
  options: { scale: scaleOption, settle: settleOption, hold: holdOption },
  examples: [{ does: 'Move the mouse to a point', command: 'vc move demo/desktop 640 400' }],
  async run(context, { computer, position }, { scale, settle, hold }) {
    await act(context, 'move', computer, { ...position, scale, settle, keys: heldKeys(hold) });
  },
});
