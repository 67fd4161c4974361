import { MOUSE_BUTTONS } from '../../../contract/constants.js';
import { choice, defineCommand, list, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { point, twoPositionsArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

const pressTime = duration({ unit: 's', min: '0s', max: '60s' });

export const command = defineCommand({
  name: 'drag',
  summary: 'Drag with the mouse from one point to another',
  arguments: {
    computer: runningComputer,
    positions: twoPositionsArgument,
  },
  options: {
    button: choice('-b, --button <name>', 'mouse button', MOUSE_BUTTONS, { otherwise: 'left' }),
    duration: value('--duration <duration>', 'time from press to release', pressTime, {
      otherwise: '500ms',
    }),
    via: list('--via <x,y>', 'point to pass on the way; repeatable', point),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    {
      does: 'Move a window by its title bar',
      command: 'vc drag demo/desktop 400,90 600,200',
    },
  ],
  async run(context, { computer, positions: { start, end } }, options) {
    const { button, duration, via, scale, settle, hold } = options;
    const path = via.map(({ x, y }): [number, number] => [x, y]);
    const points = { start_x: start.x, start_y: start.y, end_x: end.x, end_y: end.y };
    await act(context, 'drag', computer, {
      ...points,
      button,
      duration,
      scale,
      settle,
      keys: heldKeys(hold),
      path: path.length > 0 ? path : undefined,
    });
  },
});
