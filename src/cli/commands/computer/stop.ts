import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';
import { fields } from '../../fields.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop computers; their disks stay',
  arguments: { computers: computersArgument('running') },
  options: {},
  fields: fields.computer,
  examples: [
    { does: 'End its processes and keep its disk', command: 'vc computer stop demo/desktop' },
    { does: 'Several at once', command: 'vc computer stop -p demo desktop agent' },
  ],
  run: (context, { computers: names }) =>
    change(context, 'stopComputer', {
      names,
      doing: `Stopping ${enumerate(names)}`,
      did: 'stopped',
    }),
});
