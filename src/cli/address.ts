import type { ComputerAddress } from '../client/address.js';
import type { Context } from './context.js';
import { UsageError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { shellWord } from './shell-word.js';

const COMPUTER_ID = /^cmp_[0-9a-z]{20}$/;

/** True for a generated id; a computer's name cannot be told from it, so the id wins. */
export function isComputerId(text: string): boolean {
  return COMPUTER_ID.test(text);
}

/**
 * The computer that `text` names: its id, `project/name` split at the first slash, or a name in the
 * project that -p, VC_PROJECT or the profile gives. With -p the whole text is the name, so that a
 * name with a slash in it can be said.
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
    `which project is ${JSON.stringify(text)} in?`,
    `write PROJECT/${text || 'NAME'}, or give the project with -p or VC_PROJECT`,
  );
}

/** The computer that `text` names as one writes it in a further command, which has no -p. */
export function inCommands({ globals }: Pick<Context, 'globals'>, text: string): string {
  const { project } = globals;
  return shellWord(project === undefined || isComputerId(text) ? text : `${project}/${text}`);
}

/** The project a command means when none is named: -p, VC_PROJECT or the profile's. */
export async function defaultProject(context: Context): Promise<string | undefined> {
  return (await context.settings()).project?.value;
}

/** How messages name a computer. */
export function describeAddress(address: ComputerAddress): string {
  return 'id' in address ? address.id : `${address.project}/${address.name}`;
}

function nonEmpty(part: string, whole: string): string {
  if (part !== '') return part;
  throw new UsageError(`${JSON.stringify(whole)} does not name a computer`, 'write PROJECT/NAME');
}

/** The worst of several exit codes: the first that is not 0, unless they differ. */
export function worstExitCode(codes: readonly number[]): number {
  const failed = [...new Set(codes.filter((code) => code !== ExitCode.ok))];
  if (failed.length <= 1) return failed[0] ?? ExitCode.ok;
  return Math.max(...failed);
}
