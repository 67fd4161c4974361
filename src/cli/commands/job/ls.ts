import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { during } from '../../output/progress.js';
import { inCommands } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';
import { jobColumns, jobsOf } from '../../targets/jobs.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the background commands of a computer',
  arguments: { computer: optionalRunningComputer },
  options: { output: tableFormat },
  fields: fields.job,
  examples: [{ does: 'List background commands', command: 'vc job ls demo/desktop' }],
  async run(context, { computer: given }) {
    const computer = await namedOrOnly(context, given);
    const found = (await jobsOf(context, computer)).list({ signal: context.interrupts.signal });
    const jobs = await during(context.progress('Listing jobs'), found);
    await printList(context, {
      document: { jobs },
      rows: jobs,
      columns: jobColumns,
      id: ({ id }) => id,
      empty: `no background commands yet; start one: vc bash ${inCommands(context, computer)} --background …`,
    });
  },
});
