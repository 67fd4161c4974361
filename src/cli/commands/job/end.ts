import { runningComputer } from '../../computers.js';
import { defineCommand, many } from '../../define.js';
import { forEach } from '../../each.js';
import { jobsOf } from '../../jobs.js';

export const command = defineCommand({
  name: 'end',
  aliases: ['kill', 'stop'],
  summary: 'End background commands',
  details: 'Asks the whole process group to end, and ends it by force after two seconds.',
  arguments: { computer: runningComputer, jobs: many('job', 'ids, as vc job ls shows them') },
  options: {},
  examples: [{ does: 'End one', command: 'vc job end demo/desktop job_0mi4x2k9a01234567' }],
  async run(context, { computer, jobs: names }) {
    const jobs = await jobsOf(context, computer);
    return forEach(context, {
      names,
      doing: 'Ending',
      work: (id) => jobs.end(id, context.interrupts.signal),
      did: (id, { exit_code }) => `ended ${id}${exit_code === null ? '' : ` (exit ${exit_code})`}`,
    });
  },
});
