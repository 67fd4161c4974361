import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { deliveryColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'deliveries',
  summary: 'List the newest deliveries of a webhook',
  arguments: { id: argument('id', 'id of the webhook', nonEmpty, { completes: 'webhook' }) },
  options: { output: tableFormat },
  fields: fields.delivery,
  examples: [
    {
      does: 'Show which events were taken, and why others were not',
      command: 'vc webhook deliveries whk_7f3k2m9q4w8e1r6t5y0b',
    },
  ],
  async run(context, { id }) {
    const answer = await request(context, 'listDeliveries', { params: { webhook: id } });
    await printList(context, {
      document: answer,
      rows: answer.deliveries,
      columns: deliveryColumns,
      id: (delivery) => delivery.id,
      empty: `no deliveries yet; to send one: vc webhook test ${id}`,
    });
  },
});
