import { computerFields } from '../../columns.js';
import { computerArgument, onComputer } from '../../computers.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { print, printJson } from '../../output.js';
import { printRecord } from '../../table.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a computer',
  arguments: { computer: computerArgument },
  options: {},
  fields: fields.computer,
  examples: [
    { does: 'See whether it runs', command: 'vc computer get demo/desktop' },
    { does: 'Its id alone', command: 'vc computer get demo/desktop -q' },
  ],
  async run(context, { computer: given }) {
    const computer = await onComputer(context, 'getComputer', given);
    if (context.globals.json) await printJson(context, computer);
    else if (context.globals.quiet) await print(context, computer.id);
    else await printRecord(context, computerFields(computer));
    return undefined;
  },
});
