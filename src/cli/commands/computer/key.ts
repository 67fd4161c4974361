import { defineCommand, many, value } from '../../framework/define.js';
import { number } from '../../input/parse.js';
import { settleOption } from '../../input/settle-options.js';
import { printJson } from '../../output/print.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'key',
  aliases: ['press'],
  summary: 'Press keys or key combinations in order',
  details:
    'Key names in any case: Enter, Tab, Escape, F5, Page_Up, ctrl+c, ctrl+shift+t, or a character.',
  arguments: { computer: runningComputer, keys: many('key', 'key or combination') },
  options: {
    hold: value(
      '--hold <ms>',
      'how long to hold each key, in milliseconds',
      number({ min: 0, max: 10_000, unit: 'milliseconds' }),
    ),
    settle: settleOption,
  },
  examples: [
    { does: 'Press Enter', command: 'vc press demo/desktop Enter' },
    { does: 'Select all and copy', command: 'vc press demo/desktop ctrl+a ctrl+c' },
  ],
  async run(context, { computer, keys }, { hold, settle }) {
    let answer: unknown;
    for (const key of keys) {
      answer = await onComputer(context, 'key', computer, {
        ...{ key, hold_ms: hold, settle },
      });
    }
    if (context.globals.json) await printJson(context, answer);
  },
});
