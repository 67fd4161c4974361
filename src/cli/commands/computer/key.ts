import { defineCommand, many, value } from '../../framework/define.js';
import { duration } from '../../input/duration.js';
import { number } from '../../input/parse.js';
import { settleOption } from '../../input/settle-options.js';
import { printJson } from '../../output/print.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'key',
  aliases: ['press'],
  summary: 'Press keys or key combinations in order',
  details:
    'Key names in any case: Enter, Tab, Escape, F5, Page_Up, ctrl+c or Ctrl-C, ctrl+shift+t, or a character.',
  arguments: { computer: runningComputer, keys: many('key', 'key or combination') },
  options: {
    hold: value(
      '--hold <duration>',
      'how long to hold each key; a bare number is milliseconds',
      duration({ unit: 'ms', min: '0ms', max: '300s', step: 'whole' }),
    ),
    repeat: value(
      '--repeat <n>',
      'how often to press each key',
      number({ min: 1, max: 100, unit: 'times' }),
    ),
    settle: settleOption,
  },
  examples: [
    { does: 'Press Enter', command: 'vc press demo/desktop Enter' },
    { does: 'Select all and copy', command: 'vc press demo/desktop ctrl+a ctrl+c' },
  ],
  async run(context, { computer, keys }, { hold, repeat, settle }) {
    let answer: unknown;
    for (const key of keys) {
      answer = await onComputer(context, 'key', computer, {
        key,
        hold_ms: hold,
        repeat,
        settle,
      });
    }
    if (context.globals.json) await printJson(context, answer);
  },
});
