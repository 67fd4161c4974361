import { projectColumns } from '../../columns.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { note, print, printJson } from '../../output.js';
import { printTable } from '../../table.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List projects',
  arguments: {},
  options: {},
  fields: fields.project,
  examples: [
    { does: 'List projects', command: 'vc project ls' },
    { does: 'Print the ids alone', command: 'vc project ls -q' },
  ],
  async run(context) {
    const client = await context.client();
    const answer = await client.request('listProjects', { signal: context.interrupts.signal });
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of answer.projects) await print(context, id);
    else if (answer.projects.length > 0) await printTable(context, projectColumns, answer.projects);
    else await note(context, 'no projects yet; make one with: vc project create NAME');
    return undefined;
  },
});
