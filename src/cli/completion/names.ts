import type { Client } from '../../client/client.js';
import { computerParameters } from '../../client/http/address.js';
import type { Context } from '../framework/context.js';
import { createContext, createRuntime } from '../framework/create-context.js';
import { readGlobals } from '../framework/globals.js';
import { Interrupts } from '../framework/interrupts.js';
import { computerAddress } from '../targets/computer-address.js';
import { DEFAULT_PROJECT, defaultProject } from '../targets/lookup/default-project.js';
import type { Candidate, NameKind, Wanted } from './offer.js';

/** A slow service must not block the shell. */
const DEADLINE_MS = 2000;
/** More are of no help, and a shell takes long to show them. */
const MOST = 1000;

/** The names of a kind. Computers are `project/computer`, without the project if it is preset. */
export async function listNames(context: Context, wanted: Wanted): Promise<Candidate[]> {
  const found = await namesOf(context, wanted);
  return found
    .slice(0, MOST)
    .map((candidate) => (typeof candidate === 'string' ? { value: candidate } : candidate));
}

async function namesOf(
  context: Context,
  { kind, args, typed }: Wanted,
): Promise<readonly (string | Candidate)[]> {
  if (kind === 'alias') return Object.keys((await context.profiles().read()).aliases ?? {});
  if (kind === 'profile') return Object.keys((await context.profiles().read()).profiles);
  const client = await context.client();
  const { signal } = context.interrupts;
  switch (kind) {
    case 'key':
      return (await client.request('listKeys', { signal })).keys.map(({ name }) => name);
    case 'owner':
      return (await client.request('listOwners', { signal })).owners.map(({ name }) => name);
    case 'connection':
      return (await client.request('listConnections', { signal })).connections.map(
        ({ name }) => name,
      );
    case 'webhook': {
      const { webhooks } = await client.request('listWebhooks', { signal });
      return webhooks.map(({ id, url }) => ({ value: id, summary: url }));
    }
    case 'secret': {
      const project = (await defaultProject(context)) ?? DEFAULT_PROJECT;
      const { secrets } = await client.request('listSecrets', { params: { project }, signal });
      return secrets.map(({ name }) => name);
    }
    case 'volume':
      return (await client.request('listVolumes', { signal })).volumes.map(({ name }) => name);
    case 'image': {
      const { images } = await client.request('listImages', { signal });
      const named = images.filter(({ kind: what }) => what !== 'template');
      return [...new Set(named.map(({ name }) => name))];
    }
    case 'snapshot': {
      const params = computerParameters(await computerAddress(context, args[0] ?? ''));
      const { snapshots } = await client.request('listSnapshots', { params, signal });
      return snapshots.map(({ name }) => name);
    }
    case 'engine':
      return (await client.request('health', { signal })).engines.map(({ name }) => name);
    case 'member':
      return (await client.request('listMembers', { signal })).members.map(({ name }) => name);
    case 'member-group': {
      const { members } = await client.request('listMembers', { signal });
      return [...new Set(members.flatMap(({ groups }) => groups))];
    }
    case 'label': {
      const { computers: all } = await client.request('listAllComputers', {
        query: { limit: MOST },
        signal,
      });
      const pairs = all.flatMap(({ labels }) =>
        Object.entries(labels).map((pair) => pair.join('=')),
      );
      return [...new Set(pairs)];
    }
    case 'job':
    case 'running-job':
      return jobs(context, client, args[0] ?? '', kind);
    case 'remote-path':
      return remotePaths(context, client, typed);
    case 'project':
      return (await client.request('listProjects', { signal })).projects.map(({ name }) => name);
    default:
      return computers(context, client, kind);
  }
}

async function computers(
  context: Context,
  client: Client,
  kind: NameKind,
): Promise<(string | Candidate)[]> {
  const { signal } = context.interrupts;
  const { project } = await context.settings();
  const { projects } = await client.request('listProjects', { signal });
  const lists = projects.map(({ id }) =>
    client.request('listComputers', { params: { project: id }, signal }),
  );
  return (await Promise.all(lists)).flatMap(({ computers: found }) =>
    found
      .filter(({ status }) => matchesStatus(status, kind))
      .map(({ id, name, project_name }) => {
        const shown = project?.value === project_name ? name : `${project_name}/${name}`;
        return kind === 'computer-id' ? { value: id, summary: shown } : shown;
      }),
  );
}

/** A computer in `error` can be started, so it counts as stopped. */
function matchesStatus(status: string, kind: NameKind): boolean {
  if (kind === 'computer' || kind === 'computer-id') return true;
  const isStopped = status === 'stopped' || status === 'error';
  return isStopped === (kind === 'stopped-computer');
}

async function jobs(
  context: Context,
  client: Client,
  computer: string,
  kind: 'job' | 'running-job',
): Promise<Candidate[]> {
  const params = computerParameters(await computerAddress(context, computer));
  const { signal } = context.interrupts;
  const { jobs: found } = await client.request('listJobs', { params, signal });
  return found
    .filter(({ status }) => kind === 'job' || status === 'running')
    .map(({ id, command }) => ({ value: id, summary: command.trim().split('\n')[0] ?? '' }));
}

/** What the directory of a half-typed COMPUTER:PATH holds; a directory ends with a slash. */
async function remotePaths(context: Context, client: Client, typed: string): Promise<string[]> {
  const colon = typed.indexOf(':');
  const [computer, path] = [typed.slice(0, colon), typed.slice(colon + 1)];
  const slash = path.lastIndexOf('/') + 1;
  const directory = path.slice(0, slash);
  const start = path.slice(slash);
  const { entries } = await client.request('listDirectory', {
    params: computerParameters(await computerAddress(context, computer)),
    query: { path: directory || '.' },
    signal: context.interrupts.signal,
  });
  return entries
    .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
    .map(({ name, type }) => {
      return `${computer}:${directory}${name}${type === 'directory' ? '/' : ''}`;
    });
}

/** Names found with the service and project that the options select, within two seconds. */
export async function namesGiven(wanted: Wanted): Promise<Candidate[]> {
  const { given } = wanted;
  const globals = readGlobals({
    project: given.get('--project'),
    profile: given.get('--profile'),
    baseUrl: given.get('--base-url'),
  });
  const run: Context['run'] = () => Promise.reject(new Error('completion runs no commands'));
  const interrupts = new Interrupts();
  const runtime = createRuntime({ interrupts });
  const timer = setTimeout(() => interrupts.trigger('SIGINT'), DEADLINE_MS);
  try {
    return await listNames(createContext(runtime, globals, run), wanted);
  } finally {
    clearTimeout(timer);
    await Promise.all(runtime.clients.map((client) => client.close()));
  }
}
