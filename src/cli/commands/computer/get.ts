import { defineCommand } from '../../framework/define.js';
import { computerFields } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { namedOrOnly, onComputer, optionalComputer } from '../../targets/computers.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a computer',
  arguments: { computer: optionalComputer },
  options: { output: recordFormat },
  fields: fields.computer,
  examples: [
    { does: 'Show a computer', command: 'vc get demo/desktop' },
    { does: 'Print only its id', command: 'vc get demo/desktop -q' },
  ],
  async run(context, { computer: given }) {
    const name = await namedOrOnly(context, given);
    const computer = await onComputer(context, 'getComputer', name);
    if (context.globals.json) await printJson(context, computer);
    else if (context.globals.quiet) await print(context, computer.id);
    else await printRecord(context, computerFields(computer));
  },
});
