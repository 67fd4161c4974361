import { ServiceError } from '../client/errors.js';
import { isComputerId } from './address.js';
import type { Context } from './context.js';
import { parsePlace } from './copy/places.js';
import type { Raw } from './define.js';
import { nearest } from './nearest.js';
import { type Report, reportOf } from './report.js';
import { printable } from './style.js';

/** Nobody waits longer than this for a suggestion, in milliseconds. */
const DEADLINE_MS = 2000;

/** How the service tells that something is not there. */
const MISSING = /^There is no (project|computer|connection|API key) "?([^"]+?)"?[.;]/;

/**
 * What an error means to the user; of something that is not there also what it was meant to be.
 * `computer` is what the user called the computer that it is about.
 */
export async function explain(
  error: unknown,
  context: Context | undefined,
  computer?: string,
): Promise<Report> {
  const report = reportOf(error, computer);
  if (context === undefined || !(error instanceof ServiceError) || error.code !== 'not_found')
    return report;
  const [, kind, name] = MISSING.exec(error.message) ?? [];
  if (kind === undefined || name === undefined) return report;
  const { see, known } = await inventory(context, kind, name);
  const near = nearest(name, known);
  return { ...report, hint: near === undefined ? see : `did you mean ${printable(near)}? ${see}` };
}

/** What the user called the one computer that a command is about; undefined without one. */
export function computerIn(
  args: Readonly<Record<string, Raw>>,
  project: string | undefined,
): string | undefined {
  const [name, another] = [args.computer ?? args.computers ?? computersOf(args.paths)].flat();
  if (typeof name !== 'string' || another !== undefined) return undefined;
  return project === undefined || isComputerId(name) ? name : `${project}/${name}`;
}

/** The computers of `COMPUTER:PATH`, where a command takes such. */
function computersOf(paths: Raw): readonly string[] {
  if (!Array.isArray(paths)) return [];
  const remote = paths.filter((path: string) => /^[^:]/.test(path)).map(parsePlace);
  const named = remote.flatMap((place) => (place.kind === 'remote' ? [place.computer] : []));
  return [...new Set(named)];
}

/** What there is of that kind, and the command that lists it. */
async function inventory(
  context: Context,
  kind: string,
  name: string,
): Promise<{ see: string; known: readonly string[] }> {
  const slash = name.indexOf('/');
  const project = kind === 'computer' && slash > 0 ? name.slice(0, slash) : undefined;
  const lists: Readonly<Record<string, string>> = {
    project: 'vc project ls',
    computer: project === undefined ? 'vc computer ls --all' : `vc computer ls -p ${project}`,
    connection: 'vc connection ls',
    'API key': 'vc key ls',
  };
  const see = `see: ${lists[kind]}`;
  // Without the list there is no suggestion; the error itself is what counts.
  const known = await names(context, kind, project).catch(() => []);
  return { see, known };
}

async function names(
  context: Context,
  kind: string,
  project: string | undefined,
): Promise<readonly string[]> {
  const client = await context.client();
  const options = { signal: AbortSignal.timeout(DEADLINE_MS) };
  if (kind === 'project') {
    return (await client.request('listProjects', options)).projects.map(({ name }) => name);
  }
  if (kind === 'connection') {
    const { connections } = await client.request('listConnections', options);
    return connections.map(({ name }) => name);
  }
  if (kind === 'API key') {
    const { keys } = await client.request('listKeys', options);
    return keys.flatMap(({ id, name }) => [name, id]);
  }
  if (project === undefined) return [];
  const { computers } = await client.request('listComputers', { params: { project }, ...options });
  return computers.map(({ name }) => `${project}/${name}`);
}
