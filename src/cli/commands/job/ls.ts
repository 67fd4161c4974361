import { inCommands } from '../../address.js';
import { runningComputer } from '../../computers.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { jobColumns, jobsOf } from '../../jobs.js';
import { note, print, printJson } from '../../output.js';
import { during } from '../../progress.js';
import { printTable } from '../../table.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the background commands of a computer',
  arguments: { computer: runningComputer },
  options: {},
  fields: fields.job,
  examples: [{ does: 'See what runs', command: 'vc job ls demo/desktop' }],
  async run(context, { computer }) {
    const found = (await jobsOf(context, computer)).list(context.interrupts.signal);
    const jobs = await during(context.progress('Listing jobs'), found);
    if (context.globals.json) await printJson(context, { jobs });
    else if (context.globals.quiet) for (const { id } of jobs) await print(context, id);
    else if (jobs.length > 0) await printTable(context, jobColumns, jobs);
    else
      await note(
        context,
        `none yet; start one with: vc computer bash ${inCommands(context, computer)} --background …`,
      );
    return undefined;
  },
});
