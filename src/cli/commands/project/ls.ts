import type { Project } from '../../../contract/index.js';
import { defineCommand } from '../../framework/define.js';
import { projectColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import type { Column } from '../../output/table.js';
import { request } from '../../targets/client.js';
import { DEFAULT_PROJECT, defaultProject } from '../../targets/lookup/default-project.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List projects',
  details:
    'DEFAULT marks the project of names without one: the one of -p, VC_PROJECT or\n`vc project use`, else `default`.',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.project,
  examples: [
    { does: 'List projects', command: 'vc project ls' },
    { does: 'Print only the ids', command: 'vc project ls -q' },
  ],
  async run(context) {
    const answer = await request(context, 'listProjects');
    const current = (await defaultProject(context)) ?? DEFAULT_PROJECT;
    await printList(context, {
      document: answer,
      rows: answer.projects,
      columns: [...projectColumns, defaultColumn(current)],
      id: ({ id }) => id,
      empty: 'no projects yet; create one: vc project create NAME',
    });
  },
});

/** Marks the project that names without one are in. */
function defaultColumn(current: string): Column<Project> {
  return { header: 'DEFAULT', value: ({ name }) => (name === current ? '*' : '') };
}
