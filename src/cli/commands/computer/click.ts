import { MAX_MARKS, MOUSE_BUTTONS } from '../../../contract/constants.js';
import { elementId, placeOfText } from '../../elements/element-id.js';
import { UsageError } from '../../errors/cli-error.js';
import { choice, defineCommand, flag, value } from '../../framework/define.js';
import { nonEmpty, number } from '../../input/parse.js';
import { clickArgument } from '../../input/position.js';
import { heldKeys, holdOption, scaleOption, settleOption } from '../../input/settle-options.js';
import { act, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'click',
  summary: 'Click with the mouse',
  details: 'Returns when the screen has received the click.',
  arguments: {
    computer: runningComputer,
    position: clickArgument,
  },
  options: {
    element: value(
      '-e, --element <element>',
      'click on an element: ROLE:NAME, TEXT or its id',
      nonEmpty,
    ),
    mark: value(
      '-m, --mark <n>',
      'click on this number of the last vc screenshot --marks',
      number({ min: 1, max: MAX_MARKS, unit: 'mark' }),
    ),
    frame: value('--frame <id>', 'with --mark: the frame of the screenshot', nonEmpty),
    text: value('-t, --text <text>', 'click on a text on the screen, in any program', nonEmpty),
    button: choice('-b, --button <name>', 'mouse button', MOUSE_BUTTONS, { otherwise: 'left' }),
    right: flag('--right', 'same as --button right'),
    middle: flag('--middle', 'same as --button middle'),
    double: flag('--double', 'double click'),
    clicks: value(
      '--clicks <n>',
      'number of clicks, 1 to 3',
      number({ min: 1, max: 3, unit: 'clicks' }),
    ),
    scale: scaleOption,
    settle: settleOption,
    hold: holdOption,
  },
  examples: [
    {
      does: 'Click in the middle of the screen',
      command: 'vc click demo/desktop 640 400',
    },
    { does: 'Open a context menu', command: 'vc click demo/desktop 640 400 --right' },
    { does: 'Click on a button', command: "vc click demo/desktop --element 'button:Reload'" },
    { does: 'Click on what has the number 7', command: 'vc click demo/desktop --mark 7' },
    { does: 'Click on a text', command: "vc click demo/desktop --text 'Sign in'" },
    { does: 'Add to a selection', command: 'vc click demo/desktop 200 300 --hold ctrl' },
  ],
  async run(context, { computer, position }, options) {
    const { element, text, mark, frame, button, right, middle, double, clicks, hold } = options;
    const { scale, settle } = options;
    const places = [position.x, element, text, mark].filter((each) => each !== undefined);
    if (places.length !== 1) {
      throw new UsageError('either a position X Y, --element, --text or --mark is needed');
    }
    if (frame !== undefined && mark === undefined) throw new UsageError('--frame needs --mark');
    const buttons = [button, right && 'right', middle && 'middle'].filter(Boolean);
    if (new Set(buttons).size > 1) throw new UsageError('only one button can be given');
    if (double && clicks !== undefined)
      throw new UsageError('--double and --clicks cannot be combined');
    await act(context, 'click', computer, {
      ...position,
      element:
        text === undefined
          ? element && (await elementId(context, computer, element))
          : (await placeOfText(context, 'click', computer, text)).id,
      mark,
      frame,
      clicks,
      button: right ? 'right' : middle ? 'middle' : button,
      double: double || undefined,
      keys: heldKeys(hold),
      scale,
      settle,
    });
  },
});
