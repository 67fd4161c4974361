import { computerColumns } from '../../columns.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { print, printJson } from '../../output.js';
import { projectArgument, projectName } from '../../projects.js';
import { printRecord, printTable } from '../../table.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a project and its computers',
  arguments: { project: projectArgument },
  options: {},
  fields: fields.projectWithComputers,
  examples: [
    { does: 'Show a project', command: 'vc project get demo' },
    { does: 'The same, for a program', command: 'vc project get demo --json' },
  ],
  async run(context, { project: given }) {
    const params = { project: await projectName(context, given) };
    const client = await context.client();
    const { signal } = context.interrupts;
    const project = await client.request('getProject', { params, signal });
    if (context.globals.json) return void (await printJson(context, project));
    if (context.globals.quiet) return void (await print(context, project.id));
    await printRecord(context, [
      ['name', project.name],
      ['id', project.id],
      ['computers', String(project.computer_count)],
      ['created', project.created_at],
    ]);
    if (project.computers.length === 0) return undefined;
    await print(context, '');
    await printTable(context, computerColumns, project.computers);
    return undefined;
  },
});
