import { argument, defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { done, print, printJson } from '../../output.js';
import { text } from '../../parse.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create a project',
  details: 'A name is 1 to 64 letters, digits, "_" or "-".',
  arguments: { name: argument('name', 'name of the new project', text) },
  options: {},
  fields: fields.project,
  examples: [{ does: 'Make a project to put computers in', command: 'vc project create demo' }],
  async run(context, { name }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    const project = await client.request('createProject', { body: { name }, signal });
    if (context.globals.json) await printJson(context, project);
    else if (context.globals.quiet) await print(context, project.id);
    else await done(context, `created project ${project.name}`);
    return undefined;
  },
});
