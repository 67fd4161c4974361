import { defineCommand, many } from '../../framework/define.js';
import { settleOption } from '../../input/settle-options.js';
import { printJson } from '../../output/print.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'key-down',
  summary: 'Press keys or key combinations and hold them',
  details:
    'The keys stay pressed until `vc computer key-up`, for 60 s without an action, or until the computer stops.',
  arguments: { computer: runningComputer, keys: many('key', 'key or combination') },
  options: { settle: settleOption },
  examples: [{ does: 'Hold Shift', command: 'vc computer key-down demo/desktop shift' }],
  async run(context, { computer, keys }, { settle }) {
    let answer: unknown;
    for (const key of keys) {
      answer = await onComputer(context, 'keyDown', computer, { key, settle });
    }
    if (context.globals.json) await printJson(context, answer);
  },
});
