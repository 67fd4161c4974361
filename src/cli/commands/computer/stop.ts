import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate } from '../../define.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop computers; their disks stay',
  arguments: { computers: computersArgument },
  options: {},
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
