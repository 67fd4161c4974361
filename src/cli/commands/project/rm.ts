import { count } from '../../../lib/text/count.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { note } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { forEach } from '../../targets/for-each.js';
import { saveDefaultProject } from '../../targets/lookup/default-project.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Permanently remove projects and their computers',
  details: 'API keys for a removed project alone are revoked.',
  arguments: { projects: many('project', 'name or id', { completes: 'project' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [
    { does: 'Remove a project after confirmation', command: 'vc project rm demo' },
    { does: 'Remove two projects without confirmation', command: 'vc project rm demo trial --yes' },
  ],
  async run(context, { projects: names }, { yes, dryRun: isDry }) {
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => ({ text: await describe(context, name) }),
        did: (_, { text }) => `would remove ${text}`,
      });
    }
    const prompt = await context.prompt();
    if (!yes && prompt.isInteractive) {
      const question = `Permanently remove ${await describeAll(context, names)}?`;
      await confirmRemoval(prompt, { question, yes });
    } else await confirmRemoval(prompt, { question: '', yes });
    context.whenInterrupted('the service may still be removing it; see: vc project ls');
    const client = await context.client();
    const { signal } = context.interrupts;
    const removed: string[] = [];
    const code = await forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: async (project) => {
        const answer = await client.request('deleteProject', { params: { project }, signal });
        removed.push(project);
        return answer;
      },
      did: (project) => `removed project ${project}`,
    });
    await unsetDefault(context, removed);
    return code;
  },
});

/** Removes the default project from the profile in use, if it was removed. */
async function unsetDefault(context: Context, removed: readonly string[]): Promise<void> {
  const { profile, project } = await context.settings();
  if (project?.source !== 'profile' || !removed.includes(project.value)) return;
  if (await saveDefaultProject(context, undefined)) {
    await note(context, `the default project is unset, in profile ${profile.value}`);
  }
}

/** Names what would be removed, for the confirmation. */
async function describeAll(context: Context, names: readonly string[]): Promise<string> {
  return (await Promise.all(names.map((name) => describe(context, name)))).join(' and ');
}

async function describe(context: Context, name: string): Promise<string> {
  const [project, { keys }] = await Promise.all([
    request(context, 'getProject', { params: { project: name } }),
    request(context, 'listKeys'),
  ]);
  const revoked = keys.filter((key) => key.project?.id === project.id).map((key) => key.name);
  const keysToo = revoked.length === 0 ? '' : `, and ${revokes(revoked)}`;
  const computers = project.computers.map((computer) => computer.name);
  if (computers.length === 0) return `project ${project.name} (empty)${keysToo}`;
  const listed = computers.slice(0, 5).join(', ') + (computers.length > 5 ? ', …' : '');
  return `project ${project.name} with ${count(computers.length, 'computer')} (${listed}) and all their data${keysToo}`;
}

function revokes(keys: readonly string[]): string {
  return `revoke ${count(keys.length, 'API key')} (${keys.join(', ')})`;
}
