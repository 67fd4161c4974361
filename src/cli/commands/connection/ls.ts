import { defineCommand } from '../../framework/define.js';
import { connectionColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List RTMP targets without their stream keys',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.connection,
  examples: [{ does: 'List RTMP targets', command: 'vc connection ls' }],
  async run(context) {
    const answer = await request(context, 'listConnections');
    await printList(context, {
      document: answer,
      rows: answer.connections,
      columns: connectionColumns,
      id: ({ name }) => name,
      empty: 'no connections yet; add one: vc connection add NAME URL',
    });
  },
});
