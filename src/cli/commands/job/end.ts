import { defineCommand, enumerate, many } from '../../framework/define.js';
import { runningComputer } from '../../targets/computers.js';
import { forEach } from '../../targets/for-each.js';
import { jobsOf } from '../../targets/jobs.js';

export const command = defineCommand({
  name: 'end',
  aliases: ['kill', 'stop'],
  summary: 'End background commands',
  details: 'Terminates the process group, and kills it after two seconds.',
  arguments: {
    computer: runningComputer,
    jobs: many('job', 'id, see: vc job ls', { completes: 'running-job' }),
  },
  options: {},
  examples: [
    { does: 'End a background command', command: 'vc job end demo/desktop job_0mi4x2k9a01234567' },
  ],
  async run(context, { computer, jobs: names }) {
    const jobs = await jobsOf(context, computer);
    return forEach(context, {
      names,
      doing: `Ending ${enumerate(names)}`,
      work: (id) => jobs.end(id, { signal: context.interrupts.signal }),
      did: (id, { exit_code }) => `ended ${id}${exit_code === null ? '' : ` (exit ${exit_code})`}`,
    });
  },
});
