import type { Answer } from '../../../contract/types/index.js';
import { count } from '../../../lib/text/count.js';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate, flag } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';
import { manyOwners } from '../../targets/owners.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Permanently remove owners and their API keys',
  details: [
    'Requests, sessions and streams of the owner end at once. An owner with projects is only removed',
    'with --force, which permanently removes its computers too, protected ones included. Its audit',
    'log stays: vc audit --owner ID.',
  ].join(' '),
  arguments: { owners: manyOwners },
  options: {
    force: flag('--force', 'also remove projects and computers, protected ones included'),
    yes: flag('-y, --yes', 'do not ask for confirmation'),
    dryRun,
  },
  examples: [
    { does: 'Remove an owner after confirmation', command: 'vc owner rm alice' },
    { does: 'Remove an owner with all its computers', command: 'vc owner rm alice --force' },
  ],
  async run(context, { owners: names }, { force, yes, dryRun: isDry }) {
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: (name) => findOwner(context, name),
        did: (_, owner) => `would remove ${describe(owner)}${needsForce(owner, force)}`,
      });
    }
    const prompt = await context.prompt();
    if (!yes && prompt.isInteractive) {
      const owners = await Promise.all(names.map((name) => findOwner(context, name)));
      // Fail before asking for confirmation.
      for (const owner of owners) refuseWithoutForce(owner, force);
      const question = `Permanently remove ${enumerate(owners.map(describe), 'and')}?`;
      await confirmRemoval(prompt, { question, yes });
    } else await confirmRemoval(prompt, { question: '', yes });
    context.whenInterrupted('the service may still be removing it; see: vc owner ls');
    const query = { force: force ? '1' : '0' } as const;
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (owner) => request(context, 'deleteOwner', { params: { owner }, query }),
      did: (owner) => `removed owner ${owner}`,
    });
  },
});

function findOwner(context: Context, owner: string): Promise<Answer<'getOwner'>> {
  return request(context, 'getOwner', { params: { owner } });
}

function describe({ name, id, project_count, computer_count }: Answer<'getOwner'>): string {
  if (project_count === 0) return `owner ${name} (${id})`;
  const projects = count(project_count, 'project');
  return `owner ${name} (${id}) with ${projects}, ${count(computer_count, 'computer')} and all their data`;
}

function refuseWithoutForce(owner: Answer<'getOwner'>, isForced: boolean): void {
  if (owner.project_count === 0 || isForced) return;
  const has = `${count(owner.project_count, 'project')} and ${count(owner.computer_count, 'computer')}`;
  throw new CliError(`owner ${owner.name} has ${has}`, {
    remedy: `remove them as well: vc owner rm ${owner.name} --force`,
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}

function needsForce({ project_count }: Answer<'getOwner'>, isForced: boolean): string {
  return project_count > 0 && !isForced ? ', but only with --force' : '';
}
