import { defineCommand, enumerate } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { change, computersArgument } from '../../targets/computers.js';
import { untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Restart computers',
  arguments: { computers: computersArgument('running') },
  options: waitOptions,
  fields: fields.computer,
  examples: [
    { does: 'Restart a computer', command: 'vc restart demo/desktop' },
    { does: 'Restart several computers', command: 'vc restart -p demo desktop agent' },
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
