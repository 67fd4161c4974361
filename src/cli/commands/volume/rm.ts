import { notFound } from '../../errors/cli-error.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Permanently remove volumes with their files',
  details: 'A volume is not removed while computers mount it, also stopped ones.',
  arguments: { names: many('name', 'name of the volume', { completes: 'volume' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a volume after confirmation', command: 'vc volume rm data' },
    { does: 'Remove a volume without confirmation', command: 'vc volume rm data --yes' },
  ],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    if (isDry) {
      const { volumes } = await client.request('listVolumes', { signal });
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => {
          const found = volumes.find((volume) => volume.name === name);
          if (found !== undefined) return found;
          throw notFound(`there is no volume ${JSON.stringify(name)}`, 'see: vc volume ls');
        },
        did: (name) => `would remove volume ${name}`,
      });
    }
    await confirmRemoval(await context.prompt(), {
      question: `Permanently remove volume ${enumerate(names, 'and')} and all files in it?`,
      yes,
    });
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => client.request('deleteVolume', { params: { volume: name }, signal }),
      did: (name) => `removed volume ${name}`,
    });
  },
});
