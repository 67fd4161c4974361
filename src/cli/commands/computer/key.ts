import { settleOption } from '../../after-action.js';
import { onComputer, runningComputer } from '../../computers.js';
import { defineCommand, many, value } from '../../define.js';
import { printJson } from '../../output.js';
import { number } from '../../parse.js';

export const command = defineCommand({
  name: 'key',
  summary: 'Press keys or combinations, one after the other',
  details: 'Names in any case: Enter, Tab, Escape, F5, Page_Up, ctrl+c, ctrl+shift+t, a character.',
  arguments: { computer: runningComputer, keys: many('key', 'keys or combinations') },
  options: {
    hold: value(
      '--hold <ms>',
      'hold each down so long, milliseconds',
      number({ min: 0, max: 10_000, unit: 'milliseconds' }),
    ),
    settle: settleOption,
  },
  examples: [
    { does: 'Press Enter', command: 'vc computer key demo/desktop Enter' },
    { does: 'Select all and copy', command: 'vc computer key demo/desktop ctrl+a ctrl+c' },
  ],
  async run(context, { computer, keys }, { hold, settle }) {
    let answer: unknown;
    for (const key of keys) {
      answer = await onComputer(context, 'key', computer, {
        ...{ key, hold_ms: hold },
        settle: settle || undefined,
      });
    }
    if (context.globals.json) await printJson(context, answer);
    return undefined;
  },
});
