import type { ComputerAddress } from '../../client/http/address.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';

const COMPUTER_ID = /^cmp_[0-9a-z]{20}$/;

/** True for a generated id. A name of that form cannot be used. */
export function isComputerId(text: string): boolean {
  return COMPUTER_ID.test(text);
}

/**
 * Parses an id, `project/name` (split at the first slash), or a name in the project of -p,
 * VC_PROJECT or the profile. With -p the whole text is the name, which may contain slashes.
 */
export async function computerAddress(context: Context, text: string): Promise<ComputerAddress> {
  if (isComputerId(text)) return { id: text };
  if (context.globals.project !== undefined) {
    return { project: nonEmpty(context.globals.project, text), name: nonEmpty(text, text) };
  }
  const slash = text.indexOf('/');
  if (slash >= 0) {
    const project = nonEmpty(text.slice(0, slash), text);
    return { project, name: nonEmpty(text.slice(slash + 1), text) };
  }
  const { project } = await context.settings();
  if (project !== undefined) return { project: project.value, name: nonEmpty(text, text) };
  throw new UsageError(
    `no project given for the computer ${JSON.stringify(text)}`,
    `write PROJECT/${text || 'NAME'}, or set the project with -p or VC_PROJECT`,
  );
}

/** `text` as an argument of another command, which has no -p. */
export function inCommands({ globals }: Pick<Context, 'globals'>, text: string): string {
  const { project } = globals;
  return shellWord(project === undefined || isComputerId(text) ? text : `${project}/${text}`);
}

/** The project of -p, VC_PROJECT or the profile. */
export async function defaultProject(context: Context): Promise<string | undefined> {
  return (await context.settings()).project?.value;
}

/** The name of a computer in messages. */
export function describeAddress(address: ComputerAddress): string {
  return 'id' in address ? address.id : `${address.project}/${address.name}`;
}

function nonEmpty(part: string, whole: string): string {
  if (part !== '') return part;
  throw new UsageError(
    `${JSON.stringify(whole)} is not the name of a computer`,
    'write PROJECT/NAME',
  );
}

/** The highest of several exit codes. */
export function worstExitCode(codes: readonly number[]): number {
  return Math.max(ExitCode.ok, ...codes);
}
