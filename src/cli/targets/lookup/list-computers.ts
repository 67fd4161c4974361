import type { Client } from '../../../client/client.js';
import { Computers } from '../../../client/resources/computers.js';
import type { Computer } from '../../../contract/types/index.js';
import type { Context } from '../../framework/context.js';
import { isNotFound } from '../client.js';

/** The computers of one project, or of all. */
export async function listComputers(
  context: Context,
  project: string | undefined,
): Promise<Computer[]> {
  const client = await context.client();
  const { signal } = context.interrupts;
  if (project !== undefined) return ofProject(client, project, signal);
  try {
    const all = await new Computers(client).listAll({ signal });
    return byProject(all);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  // A service of an earlier version, for example one that was not restarted yet.
  const { projects } = await client.request('listProjects', { signal });
  return (await Promise.all(projects.map(({ id }) => ofProject(client, id, signal)))).flat();
}

async function ofProject(
  client: Client,
  project: string,
  signal: AbortSignal,
): Promise<Computer[]> {
  return (await client.request('listComputers', { params: { project }, signal })).computers;
}

/** The computers of a project beside each other, otherwise in the same order. */
function byProject(computers: readonly Computer[]): Computer[] {
  const ranks = new Map<string, number>();
  for (const { project_id: id } of computers) if (!ranks.has(id)) ranks.set(id, ranks.size);
  const rankOf = ({ project_id: id }: Computer) => ranks.get(id) ?? 0;
  return [...computers].sort((a, b) => rankOf(a) - rankOf(b));
}
