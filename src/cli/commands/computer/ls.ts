import type { Context } from '../../framework/context.js';
import { defineCommand, flag } from '../../framework/define.js';
import { computerColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/format-option.js';
import { printList } from '../../output/list.js';
import { defaultProject } from '../../targets/computer-address.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List computers',
  details: 'Lists the project of -p, VC_PROJECT or the profile, else all projects.',
  arguments: {},
  options: {
    all: flag('-a, --all', 'list the computers of all projects'),
    output: tableFormat,
  },
  fields: fields.computer,
  examples: [
    { does: 'List the computers of a project', command: 'vc ls -p demo' },
    { does: 'List all computers as JSON', command: 'vc ls --all --json' },
  ],
  async run(context, _, { all }) {
    const answer = await listComputers(context, all ? undefined : await defaultProject(context));
    await printList(context, {
      document: answer,
      rows: answer.computers,
      columns: computerColumns,
      id: ({ id }) => id,
      empty: 'no computers yet; create one: vc computer create PROJECT/NAME',
    });
  },
});

/** The computers of one project, or of all in the same form. */
async function listComputers(context: Context, project: string | undefined) {
  const client = await context.client();
  const { signal } = context.interrupts;
  if (project !== undefined) {
    return client.request('listComputers', { params: { project }, signal });
  }
  const { projects } = await client.request('listProjects', { signal });
  const lists = await Promise.all(
    projects.map(({ id }) => client.request('listComputers', { params: { project: id }, signal })),
  );
  return { computers: lists.flatMap(({ computers }) => computers) };
}
