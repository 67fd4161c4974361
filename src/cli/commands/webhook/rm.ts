import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove webhooks and their deliveries',
  arguments: { ids: many('id', 'id of the webhook', { completes: 'webhook' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [{ does: 'Remove a webhook', command: 'vc webhook rm whk_7f3k2m9q4w8e1r6t5y0b --yes' }],
  async run(context, { ids: names }, { yes, dryRun: isDry }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: (webhook) => client.request('getWebhook', { params: { webhook }, signal }),
        did: (id, { url }) => `would remove webhook ${id} (${url})`,
      });
    }
    const what = enumerate(names, 'and');
    await confirmRemoval(await context.prompt(), {
      question: `Remove webhook ${what}? What is still to be sent is lost.`,
      yes,
    });
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (webhook) => client.request('deleteWebhook', { params: { webhook }, signal }),
      did: (id) => `removed webhook ${id}`,
    });
  },
});
