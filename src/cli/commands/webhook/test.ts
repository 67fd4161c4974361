import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'test',
  summary: 'Post a test event to a webhook, once',
  details: 'Fails if the target does not take it.',
  arguments: { id: argument('id', 'id of the webhook', nonEmpty, { completes: 'webhook' }) },
  options: {},
  fields: fields.delivery,
  examples: [{ does: 'Test a webhook', command: 'vc webhook test whk_7f3k2m9q4w8e1r6t5y0b' }],
  async run(context, { id }) {
    const delivery = await request(context, 'testWebhook', { params: { webhook: id } });
    if (context.globals.json) {
      await printJson(context, delivery);
      return delivery.error === null ? ExitCode.ok : ExitCode.failure;
    }
    if (delivery.error !== null) {
      throw new CliError(`the test of webhook ${id} failed: ${delivery.error}`, {
        remedy: `see its deliveries: vc webhook deliveries ${id}`,
        code: 'target_failed',
      });
    }
    await done(context, `the target answered ${delivery.status_code}`);
    return ExitCode.ok;
  },
});
