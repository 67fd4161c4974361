import { defineCommand, enumerate } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { change, computersArgument } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop computers and keep their disks',
  arguments: { computers: computersArgument('running') },
  options: {},
  fields: fields.computer,
  examples: [
    { does: 'Stop a computer', command: 'vc stop demo/desktop' },
    { does: 'Stop several computers', command: 'vc stop -p demo desktop agent' },
  ],
  run: (context, { computers: names }) =>
    change(context, 'stopComputer', {
      names,
      doing: `Stopping ${enumerate(names)}`,
      did: 'stopped',
    }),
});
