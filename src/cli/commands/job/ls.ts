import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { printTable } from '../../output/table.js';
import { inCommands } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';
import { jobColumns, jobsOf } from '../../targets/jobs.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the background commands of a computer',
  arguments: { computer: runningComputer },
  options: {},
  fields: fields.job,
  examples: [{ does: 'List background commands', command: 'vc job ls demo/desktop' }],
  async run(context, { computer }) {
    const found = (await jobsOf(context, computer)).list(context.interrupts.signal);
    const jobs = await during(context.progress('Listing jobs'), found);
    if (context.globals.json) await printJson(context, { jobs });
    else if (context.globals.quiet) for (const { id } of jobs) await print(context, id);
    else if (jobs.length > 0) await printTable(context, jobColumns, jobs);
    else
      await note(
        context,
        `no background commands yet; start one: vc computer bash ${inCommands(context, computer)} --background …`,
      );
  },
});
