import { ComputerJobs } from '../../client/computer/jobs.js';
import type { jobs } from '../../contract/index.js';
import { notFound } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { argument, optional } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import type { Column, RecordField } from '../output/table.js';
import { computerAddress, inCommands } from './computer-address.js';

export const jobArgument = argument('job', 'id, see: vc job ls', nonEmpty, { completes: 'job' });

/** A job that need not be named: see {@link newestJob}. */
export const optionalJob = optional('job', 'id, see: vc job ls; the newest without one', nonEmpty, {
  completes: 'job',
});

/** The id of the job of a computer that was started last. */
export async function newestJob(context: Context, computer: string): Promise<string> {
  const all = await (await jobsOf(context, computer)).list({ signal: context.interrupts.signal });
  const [newest] = [...all].sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  if (newest !== undefined) return newest.id;
  throw notFound(
    `${computer} has had no background commands`,
    `start one: vc bash ${inCommands(context, computer)} --background SCRIPT`,
  );
}

/** The jobs of a computer. */
export async function jobsOf(context: Context, computer: string): Promise<ComputerJobs> {
  return new ComputerJobs(await context.client(), await computerAddress(context, computer));
}

export const jobColumns: readonly Column<jobs.Job>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'STATUS', value: statusOf, color: colorOf },
  { header: 'STARTED', value: (job) => job.started_at, isTime: true, spare: 1 },
  { header: 'OUTPUT', value: (job) => String(job.output_bytes), spare: 2 },
  { header: 'COMMAND', value: ({ command }) => firstLine(command), shrinks: true },
  { header: 'PROCESS', value: ({ pid }) => String(pid), wide: true },
  { header: 'ENDED', value: endOf, isTime: true, wide: true },
];

/** The lines of `vc job get`. */
export function jobFields(job: jobs.Job): RecordField[] {
  return [
    ['id', job.id],
    ['status', statusOf(job)],
    ['command', firstLine(job.command)],
    ['process', String(job.pid)],
    ['started', job.started_at, 'time'],
    ['ended', endOf(job), 'time'],
    ['output', `${job.output_bytes} bytes${job.truncated ? ' (truncated)' : ''}`],
  ];
}

function endOf({ ended_at, status }: jobs.Job): string {
  return ended_at ?? (status === 'running' ? 'not yet' : 'when the computer stopped');
}

/** `running`, `exited 0`, or `ended` if the computer stopped first. */
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
