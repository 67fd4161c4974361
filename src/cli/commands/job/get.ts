import { runningComputer } from '../../computers.js';
import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { jobArgument, jobFields, jobsOf } from '../../jobs.js';
import { printJson } from '../../output.js';
import { printRecord } from '../../table.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a background command',
  arguments: { computer: runningComputer, job: jobArgument },
  options: {},
  fields: fields.job,
  examples: [
    { does: 'See whether it has ended', command: 'vc job get demo/desktop job_0mi4x2k9a01234567' },
  ],
  async run(context, { computer, job: id }) {
    const jobs = await jobsOf(context, computer);
    const job = await jobs.get(id, { limit: 16 }, context.interrupts.signal);
    const { output, next_offset, ...facts } = job;
    if (context.globals.json) await printJson(context, facts);
    else await printRecord(context, jobFields(job));
    return undefined;
  },
});
