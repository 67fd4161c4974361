import { MOUSE_BUTTONS } from '../../../contract/constants.js';
import { choice, defineCommand } from '../../framework/define.js';
import { optionalPositionArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'mouse-down',
  summary: 'Press a mouse button and hold it',
  details:
    'The button stays pressed until `vc computer mouse-up`, for 60 s without an action, or until the computer stops.',
  arguments: { computer: runningComputer, position: optionalPositionArgument },
  options: {
    button: choice('-b, --button <name>', 'mouse button', MOUSE_BUTTONS, { otherwise: 'left' }),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    {
      does: 'Press the left button at a point',
      command: 'vc computer mouse-down demo/desktop 640 400',
    },
  ],
  async run(context, { computer, position }, { button, scale, settle, hold }) {
    const body = { ...position, button, scale, settle, keys: heldKeys(hold) };
    await act(context, 'mouseDown', computer, body);
  },
});
