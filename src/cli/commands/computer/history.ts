import { defineCommand, value } from '../../framework/define.js';
import { number } from '../../input/parse.js';
import { actionColumns } from '../../output/audit-columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { note, print, printJson } from '../../output/print.js';
import { printTable } from '../../output/table.js';
import { namedOrOnly, onComputer, optionalComputer } from '../../targets/computers.js';
import { orDeleted } from '../../targets/deleted.js';

export const command = defineCommand({
  name: 'history',
  summary: 'Show the audit log of a computer, newest first',
  details:
    'Entries are kept for 90 days in which the service runs. Of text and code only the length is recorded.',
  arguments: { computer: optionalComputer },
  options: {
    limit: value(
      '--limit <count>',
      'number of entries',
      number({ min: 1, max: 1000, unit: 'entries' }),
      { otherwise: '100' },
    ),
    output: tableFormat,
  },
  fields: fields.action,
  examples: [
    { does: 'Show the last ten entries', command: 'vc history demo/desktop --limit 10' },
    {
      does: 'List failed actions',
      command: 'vc history demo/desktop --jq \'.actions[] | select(.outcome != "ok")\'',
    },
  ],
  async run(context, { computer: given }, { limit }) {
    const computer = await namedOrOnly(context, given);
    const listing = onComputer(context, 'listActions', computer, undefined, { limit });
    const answer = await orDeleted(listing);
    const { actions } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of actions) await print(context, String(id));
    else if (actions.length > 0) await printTable(context, actionColumns, actions);
    else await note(context, 'no actions yet');
  },
});
