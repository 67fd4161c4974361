import { Computers } from '../../../client/resources/computers.js';
import type { Computer } from '../../../contract/types/index.js';
import type { Context } from '../../framework/context.js';

/** The computers of one project, or of all. */
export async function listComputers(
  context: Context,
  project: string | undefined,
): Promise<Computer[]> {
  const client = await context.client();
  const { signal } = context.interrupts;
  if (project === undefined) return byProject(await new Computers(client).listAll({ signal }));
  return (await client.request('listComputers', { params: { project }, signal })).computers;
}

/** The computers of a project beside each other, otherwise in the same order. */
function byProject(computers: readonly Computer[]): Computer[] {
  const ranks = new Map<string, number>();
  for (const { project_id: id } of computers) if (!ranks.has(id)) ranks.set(id, ranks.size);
  const rankOf = ({ project_id: id }: Computer) => ranks.get(id) ?? 0;
  return [...computers].sort((a, b) => rankOf(a) - rankOf(b));
}
