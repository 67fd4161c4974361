import { COMPUTER_STATUSES } from '../../../contract/constants.js';
import type { Computer } from '../../../contract/index.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { labelSelector } from '../../input/labels.js';
import { note } from '../../output/print.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { change, onComputer } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';
import {
  allComputers,
  allOption,
  changeAll,
  computersOrAll,
  isSelection,
  type Selection,
  yesOption,
} from '../../targets/lookup/all-computers.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Permanently remove computers and their disks',
  details: [
    'With --all it removes the computers that vc ls lists, with --label those that have the label;',
    'except for protected ones.',
  ].join(' '),
  arguments: { computers: computersOrAll('any') },
  options: { all: allOption('remove the computers'), label: labelSelector, yes: yesOption, dryRun },
  examples: [
    { does: 'Remove a computer after confirmation', command: 'vc rm demo/desktop' },
    { does: 'Show what would be removed', command: 'vc rm demo/desktop --dry-run' },
    { does: 'Remove all computers of a project', command: 'vc rm --all -p demo' },
    { does: 'Remove those with a label', command: 'vc rm -l team=qa --yes' },
    {
      does: 'Remove two computers without confirmation',
      command: 'vc rm demo/a demo/b --yes',
    },
  ],
  async run(context, { computers: names }, { all, label, yes, dryRun: isDry }) {
    if (isSelection(names, { all, label })) return removeAll(context, { label, yes, isDry });
    const addresses = await Promise.all(names.map((name) => computerAddress(context, name)));
    const what = enumerate(addresses.map(describeAddress), 'and');
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${what}`,
        work: (name) => onComputer(context, 'getComputer', name),
        did: (_, computer) => wouldRemove(computer),
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

async function removeAll(
  context: Context,
  {
    label,
    yes,
    isDry,
  }: Pick<Selection, 'label'> & { readonly yes: boolean; readonly isDry: boolean },
): Promise<number> {
  const found = await allComputers(context, COMPUTER_STATUSES, label);
  if (isDry) {
    return forEach(context, {
      names: found.map(({ id }) => id),
      asList: true,
      doing: 'Checking all',
      work: (id) => onComputer(context, 'getComputer', id),
      did: (_, computer) => wouldRemove(computer),
    });
  }
  for (const { project_name, name, protected: isProtected } of found) {
    if (isProtected) await note(context, `kept ${project_name}/${name}: it is protected`);
  }
  const removable = found.filter((computer) => !computer.protected);
  return changeAll(context, 'deleteComputer', removable, {
    verb: 'Permanently remove',
    which: 'computers to remove',
    yes,
    label,
    doing: 'Removing all',
    did: 'removed',
  });
}

function wouldRemove({ project_name, name, status, protected: isProtected }: Computer): string {
  const but = isProtected ? ', but it is protected' : '';
  return `would remove ${project_name}/${name} (${status})${but}`;
}

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
