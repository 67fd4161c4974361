import { defineCommand, dryRun, flag } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { done, note, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { size } from '../../output/size.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'prune',
  summary: 'Remove the cache of image builds',
  details:
    'Removes the saved steps of your builds, not images. The next build carries out its steps again. vc usage shows what the cache takes.',
  arguments: {},
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  fields: ['bytes'],
  examples: [{ does: 'Free the storage of the cache', command: 'vc image prune --yes' }],
  async run(context, _, { yes, dryRun: isDry }) {
    const { now } = await request(context, 'getUsage', { query: { days: 1 } });
    const present = size(now.build_cache_bytes);
    if (isDry) {
      if (context.globals.json) await printJson(context, { bytes: now.build_cache_bytes });
      else await note(context, `would free ${present}`);
      return;
    }
    const question = `Remove the cache of image builds (${present})?`;
    await confirmRemoval(await context.prompt(), { question, yes });
    const removing = context.progress('Removing the cache of image builds');
    const answer = await during(removing, request(context, 'pruneImages'));
    if (context.globals.json) await printJson(context, answer);
    else await done(context, `freed ${size(answer.bytes)}`);
  },
});
