import { MOUSE_BUTTONS } from '../../../contract/constants.js';
import { choice, defineCommand } from '../../framework/define.js';
import { optionalPositionArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'mouse-up',
  summary: 'Release a mouse button',
  details: 'Has no effect on a button that is not pressed.',
  arguments: { computer: runningComputer, position: optionalPositionArgument },
  options: {
    button: choice('-b, --button <name>', 'mouse button', MOUSE_BUTTONS, { otherwise: 'left' }),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    { does: 'Release it at another point', command: 'vc computer mouse-up demo/desktop 800 400' },
  ],
  async run(context, { computer, position }, { button, scale, settle, hold }) {
    const body = { ...position, button, scale, settle, keys: heldKeys(hold) };
    await act(context, 'mouseUp', computer, body);
  },
});
