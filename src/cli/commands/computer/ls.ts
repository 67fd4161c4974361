import { defineCommand, flag } from '../../framework/define.js';
import { computerColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/format-option.js';
import { printList } from '../../output/list.js';
import { defaultProject } from '../../targets/lookup/default-project.js';
import { listComputers } from '../../targets/lookup/list-computers.js';

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
    const project = all ? undefined : await defaultProject(context);
    const computers = await listComputers(context, project);
    await printList(context, {
      document: { computers },
      rows: computers,
      columns: computerColumns,
      id: ({ id }) => id,
      empty: 'no computers yet; create one: vc create NAME',
    });
  },
});
