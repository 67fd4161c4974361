import { defineCommand } from '../../framework/define.js';
import { connectionColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { print, printJson } from '../../output/print.js';
import { printTable } from '../../output/table.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List RTMP targets without their stream keys',
  arguments: {},
  options: {},
  fields: fields.connection,
  examples: [{ does: 'List RTMP targets', command: 'vc connection ls' }],
  async run(context) {
    const answer = await request(context, 'listConnections');
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) {
      for (const { name } of answer.connections) await print(context, name);
    } else await printTable(context, connectionColumns, answer.connections);
  },
});
