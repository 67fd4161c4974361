import { EVENT_PATTERNS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand, list, oneOf } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'create',
  aliases: ['add'],
  summary: 'Post events to a URL',
  details: [
    'Prints the secret of its signatures, which is shown only once. Types of events are those of',
    'vc events; computer.* stands for several, and * for all. Quote them, because a shell replaces *.',
    'What the target does not take is sent again, for at most a day.',
  ].join(' '),
  arguments: { url: argument('url', 'http or https URL', nonEmpty) },
  options: {
    event: list('--event <type>', 'events that are sent; repeatable', oneOf(EVENT_PATTERNS), {
      choices: EVENT_PATTERNS,
    }),
  },
  fields: fields.createdWebhook,
  examples: [
    {
      does: 'Post what happens to computers',
      command: "vc webhook create https://app.example.com/hooks/vc --event 'computer.*'",
    },
    {
      does: 'Save the secret in a private file',
      command:
        "(umask 077; vc webhook create https://app.example.com/hooks/vc --event '*' > webhook.secret)",
    },
  ],
  async run(context, { url }, { event: events }) {
    if (events.length === 0) throw new UsageError('no events given', "for example: --event '*'");
    const created = await request(context, 'createWebhook', { body: { url, events } });
    if (context.globals.json) {
      await printJson(context, created);
      return;
    }
    await print(context, created.secret);
    await note(context, `created webhook ${created.id}; its secret cannot be shown again`);
    await note(context, `to try it: vc webhook test ${created.id}`);
  },
});
