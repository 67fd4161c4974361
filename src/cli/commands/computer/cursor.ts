import { defineCommand } from '../../framework/define.js';
import { print, printJson } from '../../output/print.js';
import { onComputer, runningComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'cursor',
  summary: 'Show where the mouse pointer is',
  details:
    'Prints X Y, where a client of the service last moved the pointer to. Programs in the computer that move it are not seen.',
  arguments: { computer: runningComputer },
  options: {},
  examples: [{ does: 'Print the position', command: 'vc computer cursor demo/desktop' }],
  async run(context, { computer }) {
    const answer = await onComputer(context, 'getCursor', computer);
    if (context.globals.json) await printJson(context, answer);
    else await print(context, `${answer.x} ${answer.y}`);
  },
});
