import { notFound } from '../../errors/cli-error.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';
import { currentProject } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove secrets of a project',
  arguments: { names: many('name', 'name of the secret', { completes: 'secret' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a secret after confirmation', command: 'vc secret rm SHOP_PASSWORD -p demo' },
    { does: 'Remove a secret without confirmation', command: 'vc secret rm SHOP_PASSWORD --yes' },
  ],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const project = await currentProject(context);
    if (isDry) {
      const { secrets } = await request(context, 'listSecrets', { params: { project } });
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => {
          const found = secrets.find((secret) => secret.name === name);
          if (found !== undefined) return found;
          throw notFound(`there is no secret ${JSON.stringify(name)}`, 'see: vc secret ls');
        },
        did: (name) => `would remove secret ${name}`,
      });
    }
    await confirmRemoval(await context.prompt(), {
      question: `Remove secret ${enumerate(names, 'and')}? The value cannot be shown again.`,
      yes,
    });
    const client = await context.client();
    const { signal } = context.interrupts;
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => client.request('deleteSecret', { params: { project, secret: name }, signal }),
      did: (name) => `removed secret ${name}`,
    });
  },
});
