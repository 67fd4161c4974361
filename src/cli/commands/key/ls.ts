import { keyColumns } from '../../columns.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { print, printJson } from '../../output.js';
import { printTable } from '../../table.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List API keys, without the keys themselves',
  arguments: {},
  options: {},
  fields: fields.key,
  examples: [{ does: 'See which keys exist and when they were used', command: 'vc key ls' }],
  async run(context) {
    const client = await context.client();
    const answer = await client.request('listKeys', { signal: context.interrupts.signal });
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of answer.keys) await print(context, id);
    else await printTable(context, keyColumns, answer.keys);
    return undefined;
  },
});
