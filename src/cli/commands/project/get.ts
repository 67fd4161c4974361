import { defineCommand } from '../../framework/define.js';
import { computerColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { print, printJson } from '../../output/print.js';
import { printRecord, printTable } from '../../output/table.js';
import { request } from '../../targets/client.js';
import { projectArgument, projectName } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a project and its computers',
  arguments: { project: projectArgument },
  options: { output: recordFormat },
  fields: fields.projectWithComputers,
  examples: [
    { does: 'Show a project', command: 'vc project get demo' },
    { does: 'Show a project as JSON', command: 'vc project get demo --json' },
  ],
  async run(context, { project: given }) {
    const params = { project: await projectName(context, given) };
    const project = await request(context, 'getProject', { params });
    if (context.globals.json) return void (await printJson(context, project));
    if (context.globals.quiet) return void (await print(context, project.id));
    await printRecord(context, [
      ['name', project.name],
      ['id', project.id],
      ['computers', String(project.computer_count)],
      ['created', project.created_at, 'time'],
    ]);
    if (project.computers.length === 0) return undefined;
    await print(context, '');
    await printTable(context, computerColumns, project.computers);
  },
});
