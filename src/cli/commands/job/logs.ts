import { setTimeout as sleep } from 'node:timers/promises';
import { inCommands } from '../../address.js';
import { runningComputer } from '../../computers.js';
import { defineCommand, flag } from '../../define.js';
import { write } from '../../io.js';
import { jobArgument, jobsOf } from '../../jobs.js';
import { note, printJson } from '../../output.js';

/** Bytes asked for at once, and the pause where there were none. */
const LIMIT = 1024 * 1024;
const PAUSE_MS = 300;

export const command = defineCommand({
  name: 'logs',
  aliases: ['output'],
  summary: 'Print the output of a background command',
  details: [
    'Standard output and error as they were printed, of which the first 16 MiB are kept. With',
    "--follow it goes on until the command ends, and the exit code is the command's own.",
  ].join(' '),
  arguments: { computer: runningComputer, job: jobArgument },
  options: { follow: flag('-f, --follow', 'go on as it prints, until it ends') },
  examples: [
    { does: 'Read what it printed', command: 'vc job logs demo/desktop job_0mi4x2k9a01234567' },
    { does: 'Wait for its end', command: 'vc job logs demo/desktop job_0mi4x2k9a01234567 -f' },
  ],
  async run(context, { computer, job: id }, { follow }) {
    const { signal } = context.interrupts;
    const { json } = context.globals;
    const jobs = await jobsOf(context, computer);
    context.whenInterrupted(
      `the command goes on; end it with: vc job end ${inCommands(context, computer)} ${id}`,
    );
    let output = '';
    for (let offset = 0; ; ) {
      const job = await jobs.get(id, { offset, limit: LIMIT }, signal);
      if (json) output += job.output;
      else await write(context.io.stdout, job.output);
      const isNew = job.next_offset > offset;
      offset = job.next_offset;
      if (isNew && job.output_bytes > offset) continue;
      if (!follow || job.status === 'exited') {
        if (json) await printJson(context, { ...job, output });
        else if (job.truncated) await note(context, 'it printed more, which was not kept');
        return follow ? (job.exit_code ?? 1) : undefined;
      }
      if (!isNew) await sleep(PAUSE_MS, undefined, { signal });
    }
  },
});
