import { defineCommand, enumerate } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { change, computersArgument } from '../../targets/computers.js';
import { untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start computers',
  arguments: { computers: computersArgument('stopped') },
  options: waitOptions,
  fields: fields.computer,
  examples: [
    {
      does: 'Start a computer and wait until it is ready',
      command: 'vc start demo/desktop',
    },
    { does: 'Start several computers', command: 'vc start -p demo desktop agent' },
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
