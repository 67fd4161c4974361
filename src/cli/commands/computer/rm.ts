import { shellWord } from '../../../lib/text/shell-word.js';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate, flag } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { change, computersArgument, onComputer } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Permanently remove computers and their disks',
  arguments: { computers: computersArgument('any') },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a computer after confirmation', command: 'vc rm demo/desktop' },
    { does: 'Show what would be removed', command: 'vc rm demo/desktop --dry-run' },
    {
      does: 'Remove two computers without confirmation',
      command: 'vc rm demo/a demo/b --yes',
    },
  ],
  async run(context, { computers: names }, { yes, dryRun: isDry }) {
    const addresses = await Promise.all(names.map((name) => computerAddress(context, name)));
    const what = enumerate(addresses.map(describeAddress), 'and');
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${what}`,
        work: (name) => onComputer(context, 'getComputer', name),
        did: (_, { project_name, name, status, protected: isProtected }) =>
          `would remove ${project_name}/${name} (${status})${isProtected ? ', but it is protected' : ''}`,
      });
    }
    const prompt = await context.prompt();
    // Fail before asking for confirmation.
    if (prompt.isInteractive && !yes) for (const name of names) await checkRemovable(context, name);
    const question = `Permanently remove ${what} and all data on the disk?`;
    await confirmRemoval(prompt, { question, yes });
    return change(context, 'deleteComputer', { names, doing: `Removing ${what}`, did: 'removed' });
  },
});

/** Throws if the computer is protected or does not exist. */
async function checkRemovable(context: Context, name: string): Promise<void> {
  const computer = await onComputer(context, 'getComputer', name);
  if (!computer.protected) return;
  const shown = `${computer.project_name}/${computer.name}`;
  throw new CliError(`${shown} is protected`, {
    remedy: `remove the protection first: vc computer update ${shellWord(shown)} --unprotect`,
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}
