import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';
import { fields } from '../../fields.js';
import { untilReady, waiting, waitQuery } from '../../states.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start computers',
  arguments: { computers: computersArgument('stopped') },
  options: waiting,
  fields: fields.computer,
  examples: [
    { does: 'Start it; waits until it can be used', command: 'vc computer start demo/desktop' },
    { does: 'Several at once', command: 'vc computer start -p demo desktop agent' },
  ],
  run: (context, { computers: names }, options) =>
    change(context, 'startComputer', {
      names,
      doing: `Starting ${enumerate(names)}`,
      did: 'started',
      query: waitQuery(options),
      after: (computer) => untilReady(context, computer, options),
    }),
});
