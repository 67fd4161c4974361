import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { webhookFields } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a webhook',
  arguments: { id: argument('id', 'id of the webhook', nonEmpty, { completes: 'webhook' }) },
  options: { output: recordFormat },
  fields: fields.webhook,
  examples: [{ does: 'Show a webhook', command: 'vc webhook get whk_7f3k2m9q4w8e1r6t5y0b' }],
  async run(context, { id }) {
    const webhook = await request(context, 'getWebhook', { params: { webhook: id } });
    if (context.globals.json) await printJson(context, webhook);
    else if (context.globals.quiet) await print(context, webhook.id);
    else await printRecord(context, webhookFields(webhook));
  },
});
