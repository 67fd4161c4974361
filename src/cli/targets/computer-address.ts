import type { ComputerAddress } from '../../client/http/address.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { DEFAULT_PROJECT, defaultProject } from './lookup/default-project.js';

const COMPUTER_ID = /^cmp_[0-9a-z]{20}$/;

/** True for a generated id. A name of that form cannot be used. */
export function isComputerId(text: string): boolean {
  return COMPUTER_ID.test(text);
}

/**
 * Parses an id, `project/name` (split at the first slash), or a bare name. With -p the whole text is
 * a name in that project, slashes included; with VC_PROJECT a bare name is. Any other bare name is
 * looked up with {@link findComputer}, once per command.
 */
export async function computerAddress(context: Context, text: string): Promise<ComputerAddress> {
  if (isComputerId(text)) return { id: text };
  const written = writtenAddress(context, text);
  if (written !== undefined) return written;
  const { project } = await context.settings();
  if (project?.source === 'environment') return { project: project.value, name: text };
  const known = context.addresses.get(text);
  if (known !== undefined) return known;
  const found = import('./lookup/find-computer.js').then(({ findComputer }) =>
    findComputer(context, text),
  );
  context.addresses.set(text, found);
  return found;
}

/** The project and name of a new computer, which is in the default project if it names none. */
export async function newComputerAddress(
  context: Context,
  text: string,
): Promise<{ readonly project: string; readonly name: string }> {
  const written = writtenAddress(context, text);
  const address = written ?? {
    project: (await defaultProject(context)) ?? DEFAULT_PROJECT,
    name: text,
  };
  if (!isComputerId(address.name)) return address;
  throw new UsageError('a name cannot have the form of an id', 'choose another name');
}

/** An address with a project that was given; undefined for a bare name without -p. */
function writtenAddress({ globals }: Context, text: string) {
  if (text === '') throw notAName(text);
  if (globals.project !== undefined) return { project: globals.project, name: text };
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const [project, name] = [text.slice(0, slash), text.slice(slash + 1)];
  if (project === '' || name === '') throw notAName(text);
  return { project, name };
}

/** `text` as an argument of another command, which has no -p. */
export function inCommands({ globals }: Pick<Context, 'globals'>, text: string): string {
  const { project } = globals;
  const word = shellWord(project === undefined || isComputerId(text) ? text : `${project}/${text}`);
  return word.startsWith('-') ? `-- ${word}` : word;
}

/** The name of a computer in messages. */
export function describeAddress(address: ComputerAddress): string {
  return 'id' in address ? address.id : `${address.project}/${address.name}`;
}

function notAName(text: string): UsageError {
  const message = `${JSON.stringify(text)} is not the name of a computer`;
  return new UsageError(message, 'write NAME or PROJECT/NAME');
}

/** The highest of several exit codes. */
export function worstExitCode(codes: readonly number[]): number {
  return Math.max(ExitCode.ok, ...codes);
}
