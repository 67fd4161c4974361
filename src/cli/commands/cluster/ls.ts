import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { request } from '../../targets/client.js';
import { memberColumns } from './members.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the members of the cluster',
  details: 'For administrators.',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.member,
  examples: [
    { does: 'List the members', command: 'vc cluster ls' },
    {
      does: 'Print the names of those that are online',
      command: 'vc cluster ls --jq \'.members[] | select(.status == "online") | .name\'',
    },
  ],
  async run(context) {
    const answer = await request(context, 'listMembers');
    await printList(context, {
      document: answer,
      rows: answer.members,
      columns: memberColumns,
      id: ({ name }) => name,
      empty: 'the engine runs on one server that is no cluster',
    });
  },
});
