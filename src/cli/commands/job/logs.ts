import { sleep } from '../../../lib/async/sleep.js';
import { defineCommand, flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { number } from '../../input/parse.js';
import { note, printJson } from '../../output/print.js';
import { inCommands } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';
import { jobsOf, newestJob, optionalJob } from '../../targets/jobs.js';
import { safeOption } from '../../targets/processes.js';
import { safeText } from '../../terminal/safe-output.js';

/** Bytes per request, and the pause if there are no new ones. */
const LIMIT = 1024 * 1024;
const PAUSE_MS = 300;

export const command = defineCommand({
  name: 'logs',
  aliases: ['output'],
  summary: 'Print the output of a background command',
  details: [
    'Prints stdout and stderr in order, without a job those of the newest one. The first 16 MiB are',
    'kept. With --follow it continues until the command ends and returns its exit code.',
  ].join(' '),
  arguments: { computer: runningComputer, job: optionalJob },
  options: {
    follow: flag('-f, --follow', 'stream new output until the command ends'),
    lines: value(
      '-n, --lines <count>',
      'only the last lines of the output that is kept so far',
      number({ min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'lines' }),
    ),
    safe: safeOption,
  },
  examples: [
    { does: 'Print its output so far', command: 'vc logs demo/desktop job_0mi4x2k9a01234567' },
    { does: 'Follow the output of the newest one', command: 'vc logs demo/desktop -f' },
    { does: 'Print its last ten lines', command: 'vc logs demo/desktop -n 10' },
  ],
  async run(context, { computer, job: given }, { follow, lines, safe }) {
    const { signal } = context.interrupts;
    const { json } = context.globals;
    const { stdout } = context.io;
    const replaces = safe && stdout.isTTY === true;
    const jobs = await jobsOf(context, computer);
    const id = given ?? (await newestJob(context, computer));
    context.whenInterrupted(
      `the command is still running; to end it: vc job end ${inCommands(context, computer)} ${id}`,
    );
    const show = (text: string) => write(stdout, replaces ? safeText(text) : text);
    let output = '';
    let isHeld = json || lines !== undefined;
    for (let offset = 0; ; ) {
      const job = await jobs.get(id, { offset, limit: LIMIT, signal });
      if (isHeld) output += job.output;
      else await show(job.output);
      const isNew = job.next_offset > offset;
      offset = job.next_offset;
      if (isNew && job.output_bytes > offset) continue;
      if (isHeld && !json) {
        isHeld = false;
        await show(lastLines(output, lines));
      }
      if (!follow || job.status === 'exited') {
        if (json) await printJson(context, { ...job, output: lastLines(output, lines) });
        else if (job.truncated) await note(context, 'the output was truncated');
        if (!follow) return undefined;
        if (job.exit_code === null) {
          const why = 'the computer was stopped or restarted';
          await note(context, `the command ended without an exit code: ${why}`);
        }
        return job.exit_code ?? 1;
      }
      if (!isNew) await sleep(PAUSE_MS, signal);
    }
  },
});

/** All of the text without a `count`. */
function lastLines(text: string, count: number | undefined): string {
  if (count === undefined) return text;
  const lines = text.split('\n');
  const end = lines.at(-1) === '' ? 1 : 0;
  return lines.slice(Math.max(0, lines.length - end - count)).join('\n');
}
