import { ApiError } from '../../../../contract/errors.js';
import type { Queue } from '../../../../lib/async/queue.js';
import type { Cluster, Operation } from '../../client/cluster.js';
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

/**
 * Moves a stopped machine to another member; completes a move that was interrupted. Throws
 * {@link Moving} while the cluster is about another one.
 */
export async function moveMachine(
  parts: MoveParts,
  id: string,
  member: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { cluster, instances, serviceId } = parts;
  instances.forget(id);
  await completeMove(parts, id, signal);
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
 * What a server that was killed in the middle of a move has left: a copy without its name, or one
 * beside the original.
 */
async function completeMove(
  { cluster, instances, serviceId }: MoveParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = await instances.all(signal);
  const copies = all.filter((each) => movedMachine(serviceId, each) === id);
  if (copies.length === 0) return;
  const name = instanceName(id);
  if (await isUnderWay(cluster, [name, ...copies.map((copy) => copy.name)], signal)) {
    throw new Moving();
  }
  const original = await instances.named(id, signal);
  for (const copy of copies) {
    const path = `/1.0/instances/${copy.name}`;
    // The original is deleted only after the copy is complete.
    const change = original
      ? cluster.run(path, { method: 'DELETE', signal })
      : cluster.run(path, { method: 'POST', body: { name }, signal });
    await change.catch((error) => {
      // It has ended by itself.
      if (clusterErrorOf(error)?.status !== 404) throw error;
    });
  }
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
