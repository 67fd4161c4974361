import type { ComputerStatus } from '../../../contract/resources.js';
import type { Computer } from '../../../contract/types/index.js';
import { count } from '../../../lib/text/count.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { flag } from '../../framework/define.js';
import { confirm } from '../../input/confirm-removal.js';
import { withLabels } from '../../input/labels.js';
import { note, printJson } from '../../output/print.js';
import { type Change, type ChangeOptions, change, computersArgument } from '../computers.js';
import { defaultProject } from './default-project.js';
import { listComputers } from './find-computer.js';

/** Names that a question lists. */
const MOST_NAMES = 8;

/** The computers of a command that also takes --all and --label. */
export const computersOrAll = (state: 'any' | 'running' | 'stopped') => ({
  ...computersArgument(state),
  required: false,
});

export const allOption = (which: string) => flag('--all', `${which} that vc ls lists`);
export const yesOption = flag('-y, --yes', 'do not ask for confirmation');

/** What selects computers besides their names. */
export interface Selection {
  readonly all: boolean;
  readonly label: readonly string[];
}

/** True for --all or --label. Throws if names are given as well, or nothing. */
export function isSelection(names: readonly string[], { all, label }: Selection): boolean {
  const isSelected = all || label.length > 0;
  if (isSelected && names.length > 0) {
    throw new UsageError(`give either names or ${all ? '--all' : '--label'}`);
  }
  if (!isSelected && names.length === 0) {
    throw new UsageError('neither a computer, --all nor --label is given');
  }
  return isSelected;
}

/**
 * The computers that --all and --label mean: of the project that `vc ls` lists, with one of the
 * statuses and all of the labels.
 */
export async function allComputers(
  context: Context,
  statuses: readonly ComputerStatus[],
  labels: readonly string[],
): Promise<Computer[]> {
  const computers = await listComputers(context, await defaultProject(context), labels);
  return computers.filter(({ status }) => statuses.includes(status));
}

/** The running computers that a selection means. */
export function selectedComputers(context: Context, { label }: Selection): Promise<Computer[]> {
  return allComputers(context, ['running', 'starting'], label);
}

interface ChangeAll<N extends Change> extends Omit<ChangeOptions<N>, 'names' | 'ids' | 'asList'> {
  /** Begins the question: `Stop`. */
  readonly verb: string;
  /** What there are none of: `running computers`. */
  readonly which: string;
  readonly yes: boolean;
  readonly label: readonly string[];
}

/** The answer of a command for which there are no computers. */
export async function noComputers(
  context: Context,
  which: string,
  label: readonly string[],
): Promise<number> {
  if (context.globals.json) await printJson(context, []);
  await note(context, `there are no ${which}${withLabels(label)}`);
  return ExitCode.ok;
}

/** Changes the status of all of the computers after a confirmation, and prints each result. */
export async function changeAll<N extends Change>(
  context: Context,
  operation: N,
  computers: readonly Computer[],
  { verb, which, yes, label, ...changing }: ChangeAll<N>,
): Promise<number> {
  if (computers.length === 0) return noComputers(context, which, label);
  const ids = new Map(computers.map((one) => [`${one.project_name}/${one.name}`, one.id]));
  const names = [...ids.keys()];
  const shown = names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
  const question = `${verb} ${count(names.length, 'computer')} (${shown})?`;
  await confirm(await context.prompt(), { question, yes, declined: 'nothing was changed' });
  return change(context, operation, { ...changing, names, ids, asList: true });
}
