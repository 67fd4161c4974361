import { ComputerJobs } from '../client/jobs.js';
import type { jobs } from '../contract/index.js';
import { computerAddress } from './address.js';
import type { Context } from './context.js';
import { argument } from './define.js';
import { nonEmpty } from './parse.js';
import type { Column } from './table.js';

export const jobArgument = argument('job', 'its id, as vc job ls shows it', nonEmpty);

/** The jobs of the computer that is named. */
export async function jobsOf(context: Context, computer: string): Promise<ComputerJobs> {
  return new ComputerJobs(await context.client(), await computerAddress(context, computer));
}

export const jobColumns: readonly Column<jobs.Job>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'STATUS', value: statusOf, color: colorOf },
  { header: 'STARTED', value: (job) => job.started_at, isTime: true, spare: 1 },
  { header: 'OUTPUT', value: (job) => String(job.output_bytes), spare: 2 },
  { header: 'COMMAND', value: ({ command }) => firstLine(command), shrinks: true },
];

/** The fields of one job, for a person. */
export function jobFields(job: jobs.Job): [string, string][] {
  return [
    ['id', job.id],
    ['status', statusOf(job)],
    ['command', firstLine(job.command)],
    ['process', String(job.pid)],
    ['started', job.started_at],
    ['ended', job.ended_at ?? (job.status === 'running' ? 'not yet' : 'with the computer')],
    ['output', `${job.output_bytes} bytes${job.truncated ? ', and more that was not kept' : ''}`],
  ];
}

/** `running`, `exited 0`, or `ended` where the computer stopped first. */
function statusOf({ status, exit_code }: jobs.Job): string {
  if (status === 'running') return status;
  return exit_code === null ? 'ended' : `exited ${exit_code}`;
}

function colorOf(text: string, chalk: import('chalk').ChalkInstance): string {
  if (text === 'running') return chalk.green(text);
  return text === 'exited 0' ? chalk.dim(text) : chalk.red(text);
}

function firstLine(command: string): string {
  const [line = ''] = command.trimStart().split('\n');
  return line.length < command.trim().length ? `${line} …` : line;
}
