import type { Snapshot } from '../../../contract/types/index.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { size } from '../../output/size.js';
import type { Column } from '../../output/table.js';
import { inCommands } from '../../targets/computer-address.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

const columns: readonly Column<Snapshot>[] = [
  { header: 'NAME', value: ({ name }) => name, shrinks: true },
  { header: 'PARENT', value: ({ parent }) => parent ?? '', shrinks: true },
  { header: 'CURRENT', value: ({ current }) => (current ? 'yes' : '') },
  { header: 'MEMORY', spare: 2, value: ({ memory }) => (memory ? 'yes' : 'no') },
  { header: 'SIZE', value: ({ bytes }) => size(bytes) },
  { header: 'CREATED', spare: 1, value: ({ created_at }) => created_at, isTime: true },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the snapshots of a computer',
  details:
    'PARENT is the snapshot that was current when one was made. CURRENT is the one that the computer was last saved as or reset to.',
  arguments: { computer: computerArgument },
  options: { output: tableFormat },
  fields: fields.snapshot,
  examples: [{ does: 'List the snapshots', command: 'vc snapshot ls demo/desktop' }],
  async run(context, { computer }) {
    const answer = await onComputer(context, 'listSnapshots', computer);
    await printList(context, {
      document: answer,
      rows: answer.snapshots,
      columns,
      id: ({ name }) => name,
      empty: `no snapshots yet; make one: vc snapshot create ${inCommands(context, computer)}`,
    });
  },
});
