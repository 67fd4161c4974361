import type { Answer } from '../../../contract/index.js';
import { confirmLoss } from '../../confirm-loss.js';
import type { Context } from '../../context.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../define.js';
import { forEach } from '../../each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove projects with their computers, for good',
  arguments: { projects: many('project', 'names or ids', { completes: 'project' }) },
  options: { yes: flag('-y, --yes', 'do not ask'), dryRun },
  examples: [
    { does: 'Remove a project; asks first', command: 'vc project rm demo' },
    { does: 'Remove two without being asked', command: 'vc project rm demo trial --yes' },
  ],
  async run(context, { projects: names }, { yes, dryRun: isDry }) {
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Looking at ${enumerate(names)}`,
        work: (name) => findProject(context, name),
        did: (_, project) => `would remove ${described(project)}`,
      });
    }
    const prompt = await context.prompt();
    if (!yes && prompt.isInteractive) {
      const question = `Remove ${await loss(context, names)} for good?`;
      await confirmLoss(prompt, { question, yes });
    } else await confirmLoss(prompt, { question: '', yes });
    context.whenInterrupted('the service goes on with what it has begun; see: vc project ls');
    const client = await context.client();
    const { signal } = context.interrupts;
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (project) => client.request('deleteProject', { params: { project }, signal }),
      did: (project) => `removed project ${project}`,
    });
  },
});

/** What would be lost, as a person wants to know it before saying yes. */
async function loss(context: Context, names: readonly string[]): Promise<string> {
  const parts = names.map(async (name) => described(await findProject(context, name)));
  return (await Promise.all(parts)).join(' and ');
}

async function findProject(context: Context, project: string): Promise<Answer<'getProject'>> {
  const client = await context.client();
  const { signal } = context.interrupts;
  return client.request('getProject', { params: { project }, signal });
}

function described(project: Answer<'getProject'>): string {
  const computers = project.computers.map((computer) => computer.name);
  if (computers.length === 0) return `project ${project.name} (empty)`;
  const listed = computers.slice(0, 5).join(', ') + (computers.length > 5 ? ', …' : '');
  const noun = computers.length === 1 ? 'computer' : 'computers';
  return `project ${project.name} with ${computers.length} ${noun} (${listed}) and all their data`;
}
