import { defineCommand } from '../../framework/define.js';
import { keyColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { print, printJson } from '../../output/print.js';
import { printTable } from '../../output/table.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List API keys without their secrets',
  arguments: {},
  options: {},
  fields: fields.key,
  examples: [{ does: 'List keys and when they were last used', command: 'vc key ls' }],
  async run(context) {
    const answer = await request(context, 'listKeys');
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of answer.keys) await print(context, id);
    else await printTable(context, keyColumns, answer.keys);
  },
});
