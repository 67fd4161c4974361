import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List aliases',
  arguments: {},
  options: { output: tableFormat },
  fields: fields.alias,
  examples: [{ does: 'List aliases', command: 'vc alias ls' }],
  async run(context) {
    const { aliases = {} } = await context.profiles().read();
    const rows = Object.entries(aliases)
      .map(([name, command]) => ({ name, command }))
      .sort((a, b) => a.name.localeCompare(b.name, 'en'));
    await printList(context, {
      document: { aliases: rows },
      rows,
      columns: [
        { header: 'NAME', value: ({ name }) => name },
        { header: 'COMMAND', value: ({ command }) => command, shrinks: true },
      ],
      id: ({ name }) => name,
      empty: "no aliases yet; to add one: vc alias set NAME 'COMMAND'",
    });
  },
});
