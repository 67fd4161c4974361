import type { Context } from '../framework/context.js';
import { createContext, createRuntime } from '../framework/create-context.js';
import type { Completes } from '../framework/define.js';
import { readGlobals } from '../framework/globals.js';
import type { Offer } from './offer.js';

/** Kinds of names that only the service or the profile file knows. */
export type NameKind = Exclude<Completes, 'file' | 'copy-path'>;

/** A slow service must not block the shell. */
const DEADLINE_MS = 2000;

/** The names of a kind. Computers are `project/computer`, without the project if it is preset. */
export async function listNames(context: Context, kind: NameKind): Promise<string[]> {
  if (kind === 'alias') return Object.keys((await context.profiles().read()).aliases ?? {});
  if (kind === 'profile') return Object.keys((await context.profiles().read()).profiles);
  const client = await context.client();
  const options = { signal: AbortSignal.timeout(DEADLINE_MS) };
  if (kind === 'key') {
    return (await client.request('listKeys', options)).keys.map(({ name }) => name);
  }
  if (kind === 'owner') {
    return (await client.request('listOwners', options)).owners.map(({ name }) => name);
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
      .filter(({ status }) => matchesStatus(status, kind))
      .map(({ name, project_name }) =>
        project?.value === project_name ? name : `${project_name}/${name}`,
      ),
  );
}

/** A computer in `error` can be started, so it counts as stopped. */
function matchesStatus(status: string, kind: NameKind): boolean {
  if (kind === 'computer') return true;
  const isStopped = status === 'stopped' || status === 'error';
  return isStopped === (kind === 'stopped-computer');
}

/** The names of a kind, found with the service and project that the options select. */
export async function namesGiven(kind: NameKind, given: Offer['given']): Promise<string[]> {
  const globals = readGlobals({
    project: given.get('--project'),
    profile: given.get('--profile'),
    baseUrl: given.get('--base-url'),
  });
  const run: Context['run'] = () => Promise.reject(new Error('completion runs no commands'));
  return listNames(createContext(createRuntime({}), globals, run), kind);
}
