import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start computers',
  arguments: { computers: computersArgument },
  options: {},
  examples: [
    { does: 'Start it; waits until it can be used', command: 'vc computer start demo/desktop' },
    { does: 'Several at once', command: 'vc computer start -p demo desktop agent' },
  ],
  run: (context, { computers: names }) =>
    change(context, 'startComputer', {
      names,
      doing: `Starting ${enumerate(names)}`,
      did: 'started',
    }),
});
