import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import type { Column } from '../../output/table.js';

interface Row {
  readonly name: string;
  readonly base_url: string;
  readonly project: string | null;
  readonly current: boolean;
}

const columns: readonly Column<Row>[] = [
  { header: 'CURRENT', value: ({ current }) => (current ? '*' : '') },
  { header: 'NAME', value: ({ name }) => name },
  { header: 'BASE URL', value: ({ base_url }) => base_url, shrinks: true },
  { header: 'PROJECT', spare: 1, value: ({ project }) => project ?? '' },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List profiles without their keys',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.profile,
  examples: [{ does: 'List profiles', command: 'vc profile ls' }],
  async run(context) {
    const { current, profiles } = await context.profiles().read();
    const rows = Object.entries(profiles).map(([name, { baseUrl, project }]) => ({
      name,
      base_url: baseUrl,
      project: project ?? null,
      current: name === current,
    }));
    await printList(context, {
      document: { profiles: rows },
      rows,
      columns,
      id: ({ name }) => name,
      empty: 'no profiles yet; vc serve creates one, or: vc profile add NAME --base-url URL',
    });
  },
});
