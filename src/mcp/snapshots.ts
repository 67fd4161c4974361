import { z } from 'zod';
import { MAX_FORKS } from '../contract/constants.js';
import { ApiError } from '../contract/errors.js';
import { addressOf, findComputer } from './computers.js';
import type { Service } from './service.js';
import { CHANGES, computer, jsonOr, said, type Tool, tool } from './tool.js';

/** Snapshots that are named, the latest ones. */
const MOST_NAMES = 50;

const snapshot = z.string().max(63).describe('Name of a snapshot.');

/** What is saved, brought back and copied as a whole. */
export const snapshotTools: readonly Tool[] = [
  tool({
    name: 'snapshot_computer',
    toolset: 'computers',
    title: 'Save a snapshot',
    description:
      'Saves the state of a computer, which keeps running, to go back to with reset_computer, and lists its snapshots. Save one before you try something that may fail.',
    input: z.object({
      computer,
      name: snapshot.optional().describe('Chosen by the service if left out.'),
    }),
    annotations: { ...CHANGES, idempotentHint: false, openWorldHint: false },
    run: async (service, { computer: given, name }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const body = { name };
      const options = { params: { id }, ...(signal && { signal }) };
      const made = await service.request('createSnapshot', { ...options, body });
      return said(`Saved as ${made.name}. ${await namesOfSnapshots(service, id, signal)}`);
    },
  }),
  tool({
    name: 'reset_computer',
    toolset: 'computers',
    title: 'Reset a computer',
    description:
      'Puts a computer back to a snapshot, or to how it was after its creation. What was done since is lost, and programs that run are ended.',
    input: z.object({ computer, snapshot: snapshot.optional() }),
    annotations: { ...CHANGES, destructiveHint: true, openWorldHint: false },
    run: async (service, { computer: given, snapshot: name }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const options = { params: { id }, body: { snapshot: name }, ...(signal && { signal }) };
      const { status } = await withNames(service, id, service.request('resetComputer', options));
      return said(`The computer is as ${name ?? 'after its creation'}, and ${status}.`);
    },
  }),
  tool({
    name: 'fork_computer',
    toolset: 'computers',
    title: 'Copy a computer',
    description:
      'Copies a computer, or one of its snapshots, once or several times, for example to try several ways from one state. Each copy costs memory until it is stopped.',
    input: z.object({
      computer,
      names: jsonOr(z.array(z.string().min(1).max(128)).min(1).max(MAX_FORKS)).describe(
        'Of the copies.',
      ),
      snapshot: snapshot.optional(),
    }),
    annotations: { ...CHANGES, idempotentHint: false, openWorldHint: false },
    run: async (service, { computer: given, names, snapshot: name }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const options = { params: { id }, body: { names, snapshot: name } };
      const request = service.request('forkComputer', { ...options, ...(signal && { signal }) });
      const made = await withNames(service, id, request);
      const copies = 'computers' in made ? made.computers : [made];
      const lines = copies.map((copy) => `${addressOf(copy)} (${copy.id}) is ${copy.status}.`);
      return said(lines.join('\n'));
    },
  }),
];

/** One line with the snapshots of a computer. */
async function namesOfSnapshots(
  service: Service,
  id: string,
  signal?: AbortSignal,
): Promise<string> {
  const options = { params: { id }, ...(signal && { signal }) };
  const { snapshots } = await service.request('listSnapshots', options);
  const names = snapshots.slice(-MOST_NAMES).map(({ name }) => name);
  return names.length === 0 ? 'It has no snapshots.' : `Its snapshots: ${names.join(', ')}.`;
}

/** An error about a snapshot that does not exist lists those that do: no other tool shows them. */
function withNames<T>(service: Service, id: string, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    const { code, message } = error as { code?: unknown; message: string };
    if (code !== 'not_found') throw error;
    const remedy = await namesOfSnapshots(service, id);
    throw new ApiError('not_found', message, { remedy });
  });
}
