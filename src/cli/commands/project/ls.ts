import { defineCommand } from '../../framework/define.js';
import { projectColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { printTable } from '../../output/table.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List projects',
  arguments: {},
  options: {},
  fields: fields.project,
  examples: [
    { does: 'List projects', command: 'vc project ls' },
    { does: 'Print only the ids', command: 'vc project ls -q' },
  ],
  async run(context) {
    const answer = await request(context, 'listProjects');
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of answer.projects) await print(context, id);
    else if (answer.projects.length > 0) await printTable(context, projectColumns, answer.projects);
    else await note(context, 'no projects yet; create one: vc project create NAME');
  },
});
