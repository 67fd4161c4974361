import { connectionColumns } from '../../columns.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { print, printJson } from '../../output.js';
import { printTable } from '../../table.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List RTMP targets, without their stream keys',
  arguments: {},
  options: {},
  fields: fields.connection,
  examples: [{ does: 'See where streams can go', command: 'vc connection ls' }],
  async run(context) {
    const client = await context.client();
    const { signal } = context.interrupts;
    const answer = await client.request('listConnections', { signal });
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) {
      for (const { name } of answer.connections) await print(context, name);
    } else await printTable(context, connectionColumns, answer.connections);
    return undefined;
  },
});
