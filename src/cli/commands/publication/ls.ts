import type { Answer } from '../../../contract/types/index.js';
import { defineCommand, optional } from '../../framework/define.js';
import { text } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import type { Column } from '../../output/table.js';
import { request } from '../../targets/client.js';
import { onComputer } from '../../targets/computers.js';

const columns: readonly Column<Answer<'listPublications'>['publications'][number]>[] = [
  { header: 'COMPUTER', value: ({ project, computer }) => `${project}/${computer}`, shrinks: true },
  { header: 'PORT', value: ({ port }) => String(port) },
  { header: 'ACCESS', value: (publication) => (publication.public ? 'public' : 'link') },
  { header: 'EXPIRES', value: ({ expires_at }) => expires_at ?? '', isTime: true },
  { header: 'URL', value: ({ url }) => url },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List published ports',
  details: 'ACCESS is "link" where the link with its ticket is needed, which is not shown again.',
  arguments: {
    computer: optional('computer', 'PROJECT/NAME, NAME or id; by default all', text, {
      completes: 'computer',
    }),
  },
  options: { output: tableFormat },
  fields: fields.publication,
  examples: [{ does: 'List the published ports', command: 'vc publication ls' }],
  async run(context, { computer }) {
    const id =
      computer === undefined ? undefined : (await onComputer(context, 'getComputer', computer)).id;
    const answer = await request(context, 'listPublications');
    const publications = answer.publications.filter(
      ({ computer_id }) => id === undefined || computer_id === id,
    );
    await printList(context, {
      document: { publications },
      rows: publications,
      columns,
      id: ({ url }) => url,
      empty: 'no published ports yet; publish one: vc publish COMPUTER PORT',
    });
  },
});
