import { defineCommand } from '../../framework/define.js';
import { keyColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List API keys without their secrets',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.key,
  examples: [
    { does: 'List keys and when they were last used', command: 'vc key ls' },
    { does: 'Also show budgets, and which key created each', command: 'vc key ls -o wide' },
  ],
  async run(context) {
    const answer = await request(context, 'listKeys');
    await printList(context, {
      document: answer,
      rows: answer.keys,
      columns: keyColumns,
      id: ({ id }) => id,
      empty: 'no API keys; create one: vc key create NAME',
    });
  },
});
