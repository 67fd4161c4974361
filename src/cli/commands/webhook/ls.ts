import { defineCommand } from '../../framework/define.js';
import { webhookColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List webhooks without their secrets',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.webhook,
  examples: [{ does: 'List webhooks', command: 'vc webhook ls' }],
  async run(context) {
    const answer = await request(context, 'listWebhooks');
    await printList(context, {
      document: answer,
      rows: answer.webhooks,
      columns: webhookColumns,
      id: ({ id }) => id,
      empty: "no webhooks yet; create one: vc webhook create URL --event 'computer.*'",
    });
  },
});
