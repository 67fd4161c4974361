import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { printJson } from '../../output/print.js';
import { printRecord } from '../../output/table.js';
import { runningComputer } from '../../targets/computers.js';
import { jobArgument, jobFields, jobsOf } from '../../targets/jobs.js';

export const command = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Show a background command',
  arguments: { computer: runningComputer, job: jobArgument },
  options: { output: recordFormat },
  fields: fields.job,
  examples: [{ does: 'Show its status', command: 'vc job get demo/desktop job_0mi4x2k9a01234567' }],
  async run(context, { computer, job: id }) {
    const jobs = await jobsOf(context, computer);
    const job = await jobs.get(id, { limit: 16, signal: context.interrupts.signal });
    const { output, next_offset, ...facts } = job;
    if (context.globals.json) await printJson(context, facts);
    else await printRecord(context, jobFields(job));
  },
});
