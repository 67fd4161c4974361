import { computerAddress, describeAddress } from '../../address.js';
import { change, computersArgument, onComputer } from '../../computers.js';
import { confirmLoss } from '../../confirm-loss.js';
import { defineCommand, dryRun, enumerate, flag } from '../../define.js';
import { forEach } from '../../each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove computers with their disks, for good',
  arguments: { computers: computersArgument('any') },
  options: { yes: flag('-y, --yes', 'do not ask'), dryRun },
  examples: [
    { does: 'Remove a computer; asks first', command: 'vc computer rm demo/desktop' },
    { does: 'See what would go', command: 'vc computer rm demo/desktop --dry-run' },
    { does: 'Remove two without being asked', command: 'vc computer rm demo/a demo/b --yes' },
  ],
  async run(context, { computers: names }, { yes, dryRun: isDry }) {
    const addresses = await Promise.all(names.map((name) => computerAddress(context, name)));
    const what = enumerate(addresses.map(describeAddress)).replace(/ or (?=[^ ]*$)/, ' and ');
    if (isDry) {
      return forEach(context, {
        kind: 'computer',
        names,
        doing: `Looking at ${what}`,
        work: (name) => onComputer(context, 'getComputer', name),
        did: (_, { project_name, name, status, protected: isProtected }) =>
          `would remove ${project_name}/${name} (${status})${isProtected ? ', which is protected' : ''}`,
      });
    }
    const question = `Remove ${what} with everything on the disk, for good?`;
    await confirmLoss(await context.prompt(), { question, yes });
    return change(context, 'deleteComputer', { names, doing: `Removing ${what}`, did: 'removed' });
  },
});
