import { UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { errorLines } from '../errors/report.js';
import type { Context } from '../framework/context.js';
import { optional } from '../framework/define.js';
import { write } from '../framework/io.js';
import { nonEmpty } from '../input/parse.js';
import { done, note, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { defaultProject, worstExitCode } from './computer-address.js';

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
    'name it, or set it with -p or VC_PROJECT; see: vc project ls',
  );
}

const verbs = {
  startProject: { doing: 'Starting', done: 'started' },
  stopProject: { doing: 'Stopping', done: 'stopped' },
  restartProject: { doing: 'Restarting', done: 'restarted' },
} as const;

/** Starts, stops or restarts all computers of a project and prints each result. */
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
  const answer = await during(context.progress(`${verbs[operation].doing} ${project}`), request);
  if (globals.json) await printJson(context, answer);
  else if (answer.computers.length === 0)
    await note(context, `project ${project} has no computers`);
  for (const { id, status, error, remedy } of globals.json ? [] : answer.computers) {
    if (error === undefined) await done(context, `${verbs[operation].done} ${id} (${status})`);
    else await write(io.stderr, `error: ${errorLines(`${id}: ${error}`, remedy)}\n`);
  }
  const failed = answer.computers.filter(({ error }) => error !== undefined);
  return worstExitCode(failed.map(() => ExitCode.failure));
}
