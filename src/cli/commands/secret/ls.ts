import { defineCommand } from '../../framework/define.js';
import { secretColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';
import { currentProject } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the secrets of a project, without their values',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.secret,
  examples: [{ does: 'List the secrets of a project', command: 'vc secret ls -p demo' }],
  async run(context) {
    const params = { project: await currentProject(context) };
    const answer = await request(context, 'listSecrets', { params });
    await printList(context, {
      document: answer,
      rows: answer.secrets,
      columns: secretColumns,
      id: ({ name }) => name,
      empty: `no secrets in project ${params.project} yet; set one: vc secret set NAME`,
    });
  },
});
