import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';
import { fields } from '../../fields.js';
import { untilReady, waiting, waitQuery } from '../../states.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Stop and start computers',
  arguments: { computers: computersArgument('running') },
  options: waiting,
  fields: fields.computer,
  examples: [
    { does: 'Start it afresh', command: 'vc computer restart demo/desktop' },
    { does: 'Several at once', command: 'vc computer restart -p demo desktop agent' },
  ],
  run: (context, { computers: names }, options) =>
    change(context, 'restartComputer', {
      names,
      doing: `Restarting ${enumerate(names)}`,
      did: 'restarted',
      query: waitQuery(options),
      after: (computer) => untilReady(context, computer, options),
    }),
});
