import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Stop and start computers',
  arguments: { computers: computersArgument },
  options: {},
  examples: [
    { does: 'Start it afresh', command: 'vc computer restart demo/desktop' },
    { does: 'Several at once', command: 'vc computer restart -p demo desktop agent' },
  ],
  run: (context, { computers: names }) =>
    change(context, 'restartComputer', {
      names,
      doing: `Restarting ${enumerate(names)}`,
      did: 'restarted',
    }),
});
