import { defineCommand } from '../../framework/define.js';
import { projectColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/format-option.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List projects',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.project,
  examples: [
    { does: 'List projects', command: 'vc project ls' },
    { does: 'Print only the ids', command: 'vc project ls -q' },
  ],
  async run(context) {
    const answer = await request(context, 'listProjects');
    await printList(context, {
      document: answer,
      rows: answer.projects,
      columns: projectColumns,
      id: ({ id }) => id,
      empty: 'no projects yet; create one: vc project create NAME',
    });
  },
});
