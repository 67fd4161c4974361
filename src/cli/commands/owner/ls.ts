import { defineCommand } from '../../framework/define.js';
import { ownerColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List owners and what they have',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.owner,
  examples: [
    { does: 'List owners', command: 'vc owner ls' },
    {
      does: 'Print who runs computers now',
      command: "vc owner ls --jq '.owners[] | select(.running > 0) | .name'",
    },
  ],
  async run(context) {
    const answer = await request(context, 'listOwners');
    await printList(context, {
      document: answer,
      rows: answer.owners,
      columns: ownerColumns,
      id: ({ id }) => id,
      empty: 'no owners; create one: vc owner create NAME',
    });
  },
});
