import { defineCommand, many } from '../../framework/define.js';
import { settleOption } from '../../input/settle-options.js';
import { printJson } from '../../output/print.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'key-up',
  summary: 'Release keys or key combinations',
  details: 'Has no effect on keys that are not pressed.',
  arguments: { computer: runningComputer, keys: many('key', 'key or combination') },
  options: { settle: settleOption },
  examples: [{ does: 'Release Shift', command: 'vc computer key-up demo/desktop shift' }],
  async run(context, { computer, keys }, { settle }) {
    let answer: unknown;
    for (const key of keys) {
      answer = await onComputer(context, 'keyUp', computer, { key, settle });
    }
    if (context.globals.json) await printJson(context, answer);
  },
});
