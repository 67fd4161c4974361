import type { Context } from '../context.js';
import { argument, defineCommand, oneOf } from '../define.js';
import { print } from '../output.js';
import { printable } from '../style.js';

const kinds = [
  'computer',
  'running-computer',
  'stopped-computer',
  'project',
  'key',
  'connection',
  'profile',
] as const;

/** Nobody waits longer than this for a completion. */
const DEADLINE_MS = 2000;

/** What the completion scripts ask for: names that only the service or the profile file knows. */
export const command = defineCommand({
  name: '__complete',
  hidden: true,
  summary: 'Print the names of computers, projects, keys, connections or profiles, one a line',
  arguments: { kind: argument('kind', 'what to name', oneOf(kinds), { choices: kinds }) },
  options: {},
  examples: [],
  async run(context, { kind }) {
    for (const name of await names(context, kind)) await print(context, printable(name));
    return undefined;
  },
});

async function names(context: Context, kind: (typeof kinds)[number]): Promise<string[]> {
  if (kind === 'profile') return Object.keys((await context.profiles().read()).profiles);
  const client = await context.client();
  const options = { signal: AbortSignal.timeout(DEADLINE_MS) };
  if (kind === 'key') {
    return (await client.request('listKeys', options)).keys.map(({ name }) => name);
  }
  if (kind === 'connection') {
    const { connections } = await client.request('listConnections', options);
    return connections.map(({ name }) => name);
  }
  const { projects } = await client.request('listProjects', options);
  if (kind === 'project') return projects.map(({ name }) => name);
  const lists = projects.map(({ id }) =>
    client.request('listComputers', { params: { project: id }, ...options }),
  );
  const { project } = await context.settings();
  return (await Promise.all(lists)).flatMap(({ computers }) =>
    computers
      .filter(({ status }) => isWanted(status, kind))
      .map(({ name, project_name }) =>
        project?.value === project_name ? name : `${project_name}/${name}`,
      ),
  );
}

/** A computer that has failed can be started like a stopped one. */
function isWanted(status: string, kind: string): boolean {
  if (kind === 'computer') return true;
  const isStopped = status === 'stopped' || status === 'error';
  return isStopped === (kind === 'stopped-computer');
}
