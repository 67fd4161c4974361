import { middle, placeOfText } from '../../elements/element-id.js';
import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { moveArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'move',
  summary: 'Move the mouse',
  arguments: {
    computer: runningComputer,
    position: moveArgument,
  },
  options: {
    text: value('-t, --text <text>', 'move to a text on the screen, in any program', nonEmpty),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    { does: 'Move the mouse to a point', command: 'vc move demo/desktop 640 400' },
    { does: 'Move the mouse to a text', command: "vc move demo/desktop --text 'Sign in'" },
  ],
  async run(context, { computer, position }, { text, scale, settle, hold }) {
    const { x, y } = position;
    const more = { settle, keys: heldKeys(hold) };
    if (text !== undefined && x === undefined) {
      const [left, top] = middle(await placeOfText(context, 'move', computer, text));
      return act(context, 'move', computer, { x: left, y: top, ...more });
    }
    if (text !== undefined || x === undefined || y === undefined) {
      throw new UsageError('either a position X Y or --text is needed');
    }
    return act(context, 'move', computer, { x, y, scale, ...more });
  },
});
