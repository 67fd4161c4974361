import { computerParameters } from '../../../client/http/address.js';
import { notFound } from '../../errors/cli-error.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { computerAddress, describeAddress, inCommands } from '../../targets/computer-address.js';
import { computerArgument } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove snapshots of a computer',
  details: 'The computer and its other snapshots stay as they are.',
  arguments: {
    computer: computerArgument,
    names: many('snapshot', 'name of the snapshot', { completes: 'snapshot' }),
  },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a snapshot; asks first', command: 'vc snapshot rm demo/desktop clean' },
    { does: 'Remove two without asking', command: 'vc snapshot rm demo/desktop a b --yes' },
  ],
  async run(context, { computer, names }, { yes, dryRun: isDry }) {
    const address = await computerAddress(context, computer);
    const params = computerParameters(address);
    const client = await context.client();
    const { signal } = context.interrupts;
    const shown = describeAddress(address);
    if (isDry) {
      const { snapshots } = await client.request('listSnapshots', { params, signal });
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => {
          const found = snapshots.find((snapshot) => snapshot.name === name);
          if (found !== undefined) return found;
          const list = `see: vc snapshot ls ${inCommands(context, computer)}`;
          throw notFound(`there is no snapshot ${JSON.stringify(name)}`, list);
        },
        did: (name) => `would remove the snapshot ${name} of ${shown}`,
      });
    }
    const question = `Remove the snapshot ${enumerate(names, 'and')} of ${shown}?`;
    await confirmRemoval(await context.prompt(), { question, yes });
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) =>
        client.request('deleteSnapshot', { params: { ...params, snapshot: name }, signal }),
      did: (name) => `removed the snapshot ${name} of ${shown}`,
    });
  },
});
