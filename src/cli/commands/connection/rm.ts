import { notFound } from '../../errors/cli-error.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove RTMP targets and their stream keys',
  details: 'Active streams keep running.',
  arguments: { names: many('name', 'name of the connection', { completes: 'connection' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a target after confirmation', command: 'vc connection rm show' },
    { does: 'Remove a target without confirmation', command: 'vc connection rm show --yes' },
  ],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    if (isDry) {
      const { connections } = await client.request('listConnections', { signal });
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => {
          const found = connections.find((connection) => connection.name === name);
          if (found !== undefined) return found;
          throw notFound(`there is no connection ${JSON.stringify(name)}`, 'see: vc connection ls');
        },
        did: (name) => `would remove connection ${name}`,
      });
    }
    const what = enumerate(names, 'and');
    const keys = names.length === 1 ? 'Its stream key' : 'Their stream keys';
    await confirmRemoval(await context.prompt(), {
      question: `Remove connection ${what}? ${keys} cannot be shown again.`,
      yes,
    });
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => client.request('deleteConnection', { params: { name }, signal }),
      did: (name) => `removed connection ${name}`,
    });
  },
});
