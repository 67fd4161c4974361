import type { Computer } from '../../../contract/index.js';
import type { Context } from '../../framework/context.js';

/** The computers of one project, or of all. */
export async function listComputers(
  context: Context,
  project: string | undefined,
): Promise<Computer[]> {
  const client = await context.client();
  const { signal } = context.interrupts;
  const inProject = async (params: { readonly project: string }) =>
    (await client.request('listComputers', { params, signal })).computers;
  if (project !== undefined) return inProject({ project });
  const { projects } = await client.request('listProjects', { signal });
  return (await Promise.all(projects.map(({ id }) => inProject({ project: id })))).flat();
}
