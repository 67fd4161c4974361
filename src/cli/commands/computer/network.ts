import type { Answer } from '../../../contract/types/index.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { shownNetwork } from '../../output/network.js';
import { note, print, printJson } from '../../output/print.js';
import { type Column, printTable } from '../../output/table.js';
import { inCommands } from '../../targets/computer-address.js';
import { namedOrOnly, onComputer, optionalComputer } from '../../targets/computers.js';

type Refused = Answer<'getNetwork'>['refused'][number];

const columns: readonly Column<Refused>[] = [
  { header: 'REFUSED NAME', value: ({ name }) => name, shrinks: true },
  { header: 'COUNT', value: ({ count }) => String(count) },
  { header: 'LAST', value: ({ at }) => at, isTime: true },
];

export const command = defineCommand({
  name: 'network',
  summary: 'Show what a computer may reach and was refused',
  details: [
    'Names are refused by a list with domains, as of vc create --network allow=example.com. The last 50 are',
    'shown, since the list was set or the computer started. Connections to addresses that the list does not',
    'allow are refused too, and not counted.',
  ].join(' '),
  arguments: { computer: optionalComputer },
  options: { output: tableFormat },
  fields: fields.network,
  examples: [
    { does: 'Show what was refused', command: 'vc computer network demo/desktop' },
    {
      does: 'Print the names',
      command: "vc computer network demo/desktop --jq '.refused[].name'",
    },
  ],
  async run(context, { computer: given }) {
    const computer = await namedOrOnly(context, given);
    const answer = await onComputer(context, 'getNetwork', computer, undefined);
    const { network, refused } = answer;
    if (context.globals.json) return printJson(context, answer);
    if (context.globals.quiet) for (const { name } of refused) await print(context, name);
    else if (refused.length > 0) await printTable(context, columns, refused);
    const update = `vc computer update ${inCommands(context, computer)}`;
    await note(
      context,
      `${refused.length > 0 ? '' : 'no names were refused; '}network: ${shownNetwork(network)}`,
    );
    if (typeof network === 'object' && network.allow && refused.length > 0) {
      await note(context, `to allow more, set the whole list: ${update} --network allow=NAME,...`);
    }
  },
});
