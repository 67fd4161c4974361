import { settleOption } from '../../after-action.js';
import { act, runningComputer } from '../../computers.js';
import { argument, defineCommand, value } from '../../define.js';
import { readAll } from '../../input.js';
import { number, text } from '../../parse.js';

export const command = defineCommand({
  name: 'type',
  summary: 'Type a text',
  details: 'Any Unicode text; a newline is Enter, a tab is Tab. "-" types what stands on stdin.',
  arguments: {
    computer: runningComputer,
    text: argument('text', 'what to type, or - for stdin', text),
  },
  options: {
    delay: value(
      '--delay <ms>',
      'pause between characters, milliseconds',
      number({ min: 0, max: 1000, unit: 'milliseconds' }),
    ),
    settle: settleOption,
  },
  examples: [
    { does: 'Type a line', command: "vc computer type demo/desktop 'Hello, world'" },
    { does: 'Type a file', command: 'vc computer type demo/desktop - < notes.txt' },
    { does: 'Type a text that begins with a dash', command: 'vc computer type demo/desktop -- -v' },
  ],
  async run(context, { computer, text: given }, { delay, settle }) {
    const content = given === '-' ? await readAll(context) : given;
    await act(context, 'type', computer, {
      ...{ text: content, delay_ms: delay },
      settle: settle || undefined,
    });
    return undefined;
  },
});
