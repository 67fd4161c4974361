import { UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { errorLines } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { optional } from '../framework/define.js';
import { write } from '../framework/io.js';
import { nonEmpty } from '../input/parse.js';
import { done, note, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { worstExitCode } from './computer-address.js';
import { DEFAULT_PROJECT, defaultProject } from './lookup/default-project.js';

/** Defaults to the project of -p, VC_PROJECT or the profile. */
export const projectArgument = optional('project', 'name or id', nonEmpty, {
  completes: 'project',
});

/** The given project, or the default one. */
export async function projectName(context: Context, given: string | undefined): Promise<string> {
  const name = given ?? (await defaultProject(context));
  if (name !== undefined) return name;
  throw new UsageError(
    'no project given',
    'name it, or set a default: vc project use NAME; see: vc project ls',
  );
}

/** The default project, or the one that exists without any setting. */
export async function currentProject(context: Context): Promise<string> {
  return (await defaultProject(context)) ?? DEFAULT_PROJECT;
}

const verbs = {
  startProject: { doing: 'Starting', done: 'started', leads: 'running' },
  stopProject: { doing: 'Stopping', done: 'stopped', leads: 'stopped' },
  restartProject: { doing: 'Restarting', done: 'restarted', leads: 'running' },
} as const;

/** Starts, stops or restarts all computers of a project and prints each that changed or failed. */
export async function changeProject(
  context: Context,
  operation: keyof typeof verbs,
  given: string | undefined,
): Promise<number> {
  const project = await projectName(context, given);
  const { globals, interrupts, io } = context;
  const { signal } = interrupts;
  context.whenInterrupted(`the service may still be working on it; see: vc project get ${project}`);
  const client = await context.client();
  const request = client.request(operation, { params: { project }, signal });
  const verb = verbs[operation];
  const answer = await during(context.progress(`${verb.doing} ${project}`), request);
  const { computers } = answer;
  const failed = computers.filter(({ error }) => error !== undefined);
  if (globals.json) await printJson(context, answer);
  else if (computers.length === 0) await note(context, `project ${project} has no computers`);
  else if (failed.length === 0 && !computers.some(({ changed }) => changed)) {
    await note(context, `all computers of project ${project} were ${verb.leads} already`);
  }
  for (const { name, status, changed, error, remedy } of globals.json ? [] : computers) {
    const shown = `${project}/${name}`;
    const still = status === verb.leads ? '' : ` (${status})`;
    if (changed) await done(context, `${verb.done} ${shown}${still}`);
    if (error === undefined) continue;
    await write(io.stderr, `error: ${errorLines(`${shown}: ${error}`, remedy, io.stderr)}\n`);
  }
  return worstExitCode(failed.map(() => ExitCode.failure));
}
