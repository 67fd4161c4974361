import { confirmLoss } from '../../confirm-loss.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../define.js';
import { forEach } from '../../each.js';
import { CliError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Forget RTMP targets and their stream keys',
  details: 'A stream that goes there now goes on.',
  arguments: { names: many('name', 'names of connections', { completes: 'connection' }) },
  options: { yes: flag('-y, --yes', 'do not ask'), dryRun },
  examples: [
    { does: 'Forget a target; asks first', command: 'vc connection rm show' },
    { does: 'Without being asked', command: 'vc connection rm show --yes' },
  ],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    if (isDry) {
      const { connections } = await client.request('listConnections', { signal });
      return forEach(context, {
        names,
        doing: `Looking at ${enumerate(names)}`,
        work: async (name) => {
          const found = connections.find((connection) => connection.name === name);
          if (found !== undefined) return found;
          throw new CliError(`there is no connection ${JSON.stringify(name)}`, {
            hint: 'see: vc connection ls',
            exitCode: ExitCode.notFound,
            code: 'not_found',
          });
        },
        did: (name) => `would remove connection ${name}`,
      });
    }
    const what = enumerate(names).replace(/ or (?=[^ ]*$)/, ' and ');
    const keys = names.length === 1 ? 'Its stream key' : 'Their stream keys';
    await confirmLoss(await context.prompt(), {
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
