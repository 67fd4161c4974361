import { ApiError } from '../../../../contract/errors.js';
import type { Queue } from '../../../../lib/async/queue.js';
import type { Cluster, Operation, Query } from '../../client/cluster.js';
import { inTurn } from '../../client/in-turn.js';
import { clusterErrorOf } from '../../errors.js';
import { instanceName } from '../../ids.js';
import type { Instance } from '../instance.js';
import type { Instances } from '../instances.js';
import { locationOf } from '../state.js';
import { untilCopyHasIds } from '../user-ids.js';
import { Moving, movedMachine } from './copies.js';

/** A move sends the whole disk. */
const MOVE_MS = 3_600_000;

export interface MoveParts {
  readonly cluster: Cluster;
  readonly instances: Instances;
  readonly serviceId: string;
  /** Containers that are created at once may get the same user ids. */
  readonly creations: Queue;
}

/** What is needed to end a move that was interrupted. */
type EndParts = Omit<MoveParts, 'creations'>;

/** Moves a stopped machine, whose last move is complete, to another member. */
export async function moveMachine(
  parts: MoveParts,
  id: string,
  member: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { cluster, instances, serviceId } = parts;
  const instance = await instances.get(id, signal);
  if (locationOf(instance) === member) return;
  if (instance.status !== 'Stopped') {
    throw new ApiError('conflict', 'A computer that runs cannot be moved.');
  }
  const { name } = instance;
  const path = `/1.0/instances/${name}?target=${encodeURIComponent(member)}`;
  const body = { name, migration: true, live: false };
  const query = { method: 'POST', body, ms: MOVE_MS, signal } as const;
  const operation = await parts.creations.run(async () => {
    const begun = await inTurn(() => cluster.begin(path, query), signal);
    await untilCopyHasIds(instances, serviceId, { id, member }, signal);
    return begun;
  }, signal);
  await cluster.finish(operation, query);
  instances.forget(id);
  const moved = await instances.get(id, signal);
  if (locationOf(moved) === member) return;
  throw new ApiError('internal', `The cluster did not move the computer to "${member}".`);
}

/**
 * Completes a move that was interrupted: a copy in place of the original gets its name, one beside the
 * original is deleted. Throws {@link Moving} while the cluster is about it.
 */
export async function completeMove(
  parts: EndParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { cluster, instances } = parts;
  const copies = await leftCopies(parts, id, signal);
  if (copies.length === 0) return;
  instances.forget(id);
  const name = instanceName(id);
  // The original is deleted only after the copy is complete.
  const original = await instances.named(id, signal);
  const query = original ? REMOVE : ({ method: 'POST', body: { name } } as const);
  for (const copy of copies) await end(cluster, copy, { ...query, signal });
}

/**
 * Deletes the copies that an interrupted move has left. Throws {@link Moving} while the cluster is
 * about it.
 */
export async function removeCopies(
  parts: EndParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const copy of await leftCopies(parts, id, signal)) {
    await end(parts.cluster, copy, { ...REMOVE, signal });
  }
}

const REMOVE = { method: 'DELETE' } as const;

/** Names of the copies that a server has left which was killed in the middle of a move. */
async function leftCopies(
  { cluster, instances, serviceId }: EndParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const all = await instances.all(signal);
  const copies = all.filter((each) => movedMachine(serviceId, each) === id);
  const names = copies.map(({ name }) => name);
  if (names.length > 0 && (await isUnderWay(cluster, [instanceName(id), ...names], signal))) {
    throw new Moving();
  }
  return names;
}

/** Changes a copy, unless the cluster has ended the move by itself. */
async function end(cluster: Cluster, copy: string, query: Query): Promise<void> {
  await cluster.run(`/1.0/instances/${copy}`, query).catch((error) => {
    if (clusterErrorOf(error)?.status !== 404) throw error;
  });
}

type Operations = Readonly<Record<string, readonly (Operation & OperationDetails)[]>>;

interface OperationDetails {
  readonly description?: string;
  readonly resources?: Readonly<Record<string, readonly string[] | null>> | null;
}

/** Whether the cluster works on one of the instances, or empties or restores a member. */
async function isUnderWay(
  cluster: Cluster,
  names: readonly Instance['name'][],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const groups = await cluster.ask<Operations>('/1.0/operations?recursion=1', { signal });
  return Object.values(groups)
    .flat()
    .some(({ status_code, description = '', resources }) => {
      if (status_code >= 200) return false;
      if (/evacuat|restor/i.test(description)) return true;
      const paths = Object.values(resources ?? {}).flatMap((each) => each ?? []);
      return paths.some((path) => names.some((name) => path.split(/[/?]/).includes(name)));
    });
}
