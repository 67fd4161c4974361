import { defaultProject, worstExitCode } from './address.js';
import type { Context } from './context.js';
import { optional } from './define.js';
import { UsageError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { write } from './io.js';
import { done, note, printJson } from './output.js';
import { nonEmpty } from './parse.js';
import { during } from './progress.js';
import { printable } from './style.js';

/** The project that a command is about; -p, VC_PROJECT or the profile's by default. */
export const projectArgument = optional('project', 'name or id', nonEmpty, {
  completes: 'project',
});

/** The project given, or the one that is meant when none is. */
export async function projectName(context: Context, given: string | undefined): Promise<string> {
  const name = given ?? (await defaultProject(context));
  if (name !== undefined) return name;
  throw new UsageError(
    'which project?',
    'name it, or give it with -p or VC_PROJECT; see: vc project ls',
  );
}

const verbs = {
  startProject: { doing: 'Starting', done: 'started' },
  stopProject: { doing: 'Stopping', done: 'stopped' },
  restartProject: { doing: 'Restarting', done: 'restarted' },
} as const;

/** Starts, stops or restarts all computers of a project and says what became of each. */
export async function changeProject(
  context: Context,
  operation: keyof typeof verbs,
  given: string | undefined,
): Promise<number> {
  const project = await projectName(context, given);
  const { globals, interrupts, io } = context;
  const { signal } = interrupts;
  context.whenInterrupted(
    `the service goes on with what it has begun; see: vc project get ${project}`,
  );
  const client = await context.client();
  const request = client.request(operation, { params: { project }, signal });
  const answer = await during(context.progress(`${verbs[operation].doing} ${project}`), request);
  if (globals.json) await printJson(context, answer);
  else if (answer.computers.length === 0)
    await note(context, `project ${project} has no computers`);
  for (const { id, status, error } of globals.json ? [] : answer.computers) {
    if (error === undefined) await done(context, `${verbs[operation].done} ${id} (${status})`);
    else await write(io.stderr, `error: ${printable(`${id}: ${error}`)}\n`);
  }
  const failed = answer.computers.filter(({ error }) => error !== undefined);
  return worstExitCode(failed.map(() => ExitCode.failure));
}
