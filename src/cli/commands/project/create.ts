import { argument, defineCommand } from '../../framework/define.js';
import { text } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create a project',
  details: 'A name has 1 to 64 letters, digits, "_" or "-".',
  arguments: { name: argument('name', 'name of the new project', text) },
  options: {},
  fields: fields.project,
  examples: [{ does: 'Create a project', command: 'vc project create demo' }],
  async run(context, { name }) {
    const project = await request(context, 'createProject', { body: { name } });
    if (context.globals.json) await printJson(context, project);
    else if (context.globals.quiet) await print(context, project.id);
    else await done(context, `created project ${project.name}`);
  },
});
