import type { Answer } from '../../../contract/types/index.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { size } from '../../output/size.js';
import type { Column } from '../../output/table.js';
import { request } from '../../targets/client.js';

const columns: readonly Column<Answer<'listVolumes'>['volumes'][number]>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'ENGINE', value: ({ engine }) => engine },
  { header: 'SIZE', value: ({ bytes }) => size(bytes) },
  { header: 'COMPUTERS', value: (volume) => String(volume.used_by) },
  { header: 'CREATED', value: (volume) => volume.created_at, isTime: true, spare: 1 },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List volumes',
  details: 'SIZE is measured in the background, at most once a minute.',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.volume,
  examples: [{ does: 'List volumes', command: 'vc volume ls' }],
  async run(context) {
    const answer = await request(context, 'listVolumes');
    await printList(context, {
      document: answer,
      rows: answer.volumes,
      columns,
      id: ({ name }) => name,
      empty: 'no volumes yet; create one: vc volume create NAME',
    });
  },
});
