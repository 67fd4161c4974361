import { computerAddress, describeAddress } from '../../address.js';
import { change, computersArgument } from '../../computers.js';
import { defineCommand, enumerate, flag } from '../../define.js';
import { confirmLoss } from '../../prompt.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove computers with their disks, for good',
  arguments: { computers: computersArgument },
  options: { yes: flag('-y, --yes', 'do not ask') },
  examples: [
    { does: 'Remove a computer; asks first', command: 'vc computer rm demo/desktop' },
    { does: 'Remove two without being asked', command: 'vc computer rm demo/a demo/b --yes' },
  ],
  async run(context, { computers: names }, { yes }) {
    const addresses = await Promise.all(names.map((name) => computerAddress(context, name)));
    const what = enumerate(addresses.map(describeAddress)).replace(/ or (?=[^ ]*$)/, ' and ');
    const question = `Remove ${what} with everything on the disk, for good?`;
    await confirmLoss(await context.prompt(), { question, yes });
    return change(context, 'deleteComputer', { names, doing: `Removing ${what}`, did: 'removed' });
  },
});
