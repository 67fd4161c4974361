import { computerAddress, describeAddress } from '../../address.js';
import { change, computersArgument, onComputer } from '../../computers.js';
import { confirmLoss } from '../../confirm-loss.js';
import type { Context } from '../../context.js';
import { defineCommand, dryRun, enumerate, flag } from '../../define.js';
import { forEach } from '../../each.js';
import { CliError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { shellWord } from '../../shell-word.js';

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
    const prompt = await context.prompt();
    // Nobody is asked about what cannot be done.
    if (prompt.isInteractive && !yes) for (const name of names) await removable(context, name);
    const question = `Remove ${what} with everything on the disk, for good?`;
    await confirmLoss(prompt, { question, yes });
    return change(context, 'deleteComputer', { names, doing: `Removing ${what}`, did: 'removed' });
  },
});

/** Throws when the computer is protected, or not there. */
async function removable(context: Context, name: string): Promise<void> {
  const computer = await onComputer(context, 'getComputer', name);
  if (!computer.protected) return;
  const shown = `${computer.project_name}/${computer.name}`;
  throw new CliError(`${shown} is protected`, {
    hint: `take the protection off first: vc computer update ${shellWord(shown)} --unprotect`,
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}
