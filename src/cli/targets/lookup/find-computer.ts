import type { ComputerAddress } from '../../../client/http/address.js';
import { Computers } from '../../../client/resources/computers.js';
import { PROJECT_NAME } from '../../../contract/constants.js';
import type { Computer } from '../../../contract/types/index.js';
import { nearest } from '../../../lib/text/nearest.js';
import { shellWord } from '../../../lib/text/shell-word.js';
import { CliError, notFound, UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { enumerate } from '../../framework/define.js';
import { isNotFound, request } from '../client.js';
import { DEFAULT_PROJECT } from './default-project.js';

/** The start of an id, as `vc ls` shows it on a terminal. */
const ID_PREFIX = /^cmp_[0-9a-z]+$/;

/** Names that an error lists. */
const MOST_NAMES = 5;

/**
 * Looks up a bare name in the default project, then in all projects; then the text as the start of
 * an id. Throws if there is no such computer, or more than one.
 */
export async function findComputer(context: Context, text: string): Promise<ComputerAddress> {
  const { project } = await context.settings();
  const preferred = project?.value ?? DEFAULT_PROJECT;
  if (await exists(context, { project: preferred, computer: text })) {
    return { project: preferred, name: text };
  }
  const all = await listComputers(context, undefined);
  const named = all.filter(({ name }) => name === text);
  const found =
    named.length > 0 || !ID_PREFIX.test(text) ? named : all.filter(({ id }) => id.startsWith(text));
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return { project: only.project_name, name: only.name };
  }
  if (only === undefined) throw await unknown(context, text, all);
  const what = named.length > 0 ? 'the name' : 'the start of the id';
  throw new CliError(`${JSON.stringify(text)} is ${what} of ${found.length} computers`, {
    remedy: `give one of them: ${names(found)}`,
    exitCode: ExitCode.usage,
    code: 'ambiguous',
  });
}

/**
 * The only computer of the project of -p, VC_PROJECT or the profile, else of all projects, in the
 * form that commands accept. Throws if there are none or several.
 */
export async function onlyComputer(context: Context): Promise<string> {
  const { globals } = context;
  const { project } = await context.settings();
  const near = project === undefined ? [] : await listComputers(context, project.value);
  const isExact = project?.source === 'flag' || project?.source === 'environment';
  const all = near.length > 0 || isExact ? near : await listComputers(context, undefined);
  const [only] = all;
  if (only === undefined)
    throw notFound('there are no computers yet', 'create one: vc create NAME');
  if (all.length === 1) return globals.project === undefined ? fullName(only) : only.name;
  throw new UsageError(
    `no computer given, and there are ${all.length}`,
    `give one of them: ${names(all)}`,
  );
}

async function exists(
  context: Context,
  params: { readonly project: string; readonly computer: string },
): Promise<boolean> {
  return isFound(request(context, 'getComputer', { params }));
}

function isFound(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

async function unknown(
  context: Context,
  text: string,
  all: readonly Computer[],
): Promise<CliError> {
  const close = nearest(text, new Set(all.map(({ name }) => name)));
  const meant = all.filter(({ name }) => name === close);
  const within = all.filter(({ project_name }) => project_name === text);
  if (within.length > 0) {
    return notFound(
      `${JSON.stringify(text)} is a project, not a computer`,
      `give one of its computers: ${names(within)}; see: vc ls -p ${shellWord(text)}`,
    );
  }
  const isProject =
    PROJECT_NAME.test(text) &&
    (await isFound(request(context, 'getProject', { params: { project: text } })));
  if (isProject) {
    return notFound(
      `${JSON.stringify(text)} is a project, not a computer, and has no computers yet`,
      `create one: vc create ${text}/NAME`,
    );
  }
  const question = meant.length === 0 ? '' : `Did you mean ${enumerate(meant.map(fullName))}? `;
  return notFound(
    `there is no computer named ${JSON.stringify(text)}`,
    `${question}See: vc ls --all`,
  );
}

function fullName({ project_name, name }: Computer): string {
  return `${project_name}/${name}`;
}

function names(computers: readonly Computer[]): string {
  const shown = computers.slice(0, MOST_NAMES).map((computer) => shellWord(fullName(computer)));
  return [...shown, ...(computers.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

/** The computers of one project, or of all; with `labels` only those that have them. */
export async function listComputers(
  context: Context,
  project: string | undefined,
  labels: readonly string[] = [],
): Promise<Computer[]> {
  const client = await context.client();
  const { signal } = context.interrupts;
  const computers = new Computers(client);
  if (project !== undefined) return computers.list(project, { label: labels, signal });
  return byProject(await computers.listAll({ label: labels, signal }));
}

/** The computers of a project beside each other, otherwise in the same order. */
function byProject(computers: readonly Computer[]): Computer[] {
  const ranks = new Map<string, number>();
  for (const { project_id: id } of computers) if (!ranks.has(id)) ranks.set(id, ranks.size);
  const rankOf = ({ project_id: id }: Computer) => ranks.get(id) ?? 0;
  return [...computers].sort((a, b) => rankOf(a) - rankOf(b));
}
