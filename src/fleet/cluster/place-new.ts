import { ApiError } from '../../contract/errors.js';
import { type ClusterMember, isClustered } from '../../engines/clustered.js';
import type { Engine, MachinePlacement } from '../../engines/engine.js';
import { isLost } from '../errors/lost-machine.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

type State = Pick<ClusterMember, 'name' | 'status' | 'groups'>;
type Wanted = Pick<ComputerRecord, 'member' | 'member_group'>;

/**
 * Where to create the machine of a computer. The cluster chooses the member if none is wanted; it does
 * not know of members that the service drains, so while there are any the service chooses.
 */
export async function placeNew(
  engine: Engine,
  { member, member_group: group }: Wanted,
  store: Store,
): Promise<MachinePlacement | undefined> {
  if (member !== null) return { member };
  const drained = drainedMembers(store, engine.name);
  if (drained.size === 0 || !isClustered(engine)) return group === null ? undefined : { group };
  const members = (await engine.memberStates()).filter(
    ({ groups }) => group === null || groups.includes(group),
  );
  const chosen = leastUsed(members, drained, countByMember(store, engine.name));
  if (chosen !== undefined) return { member: chosen };
  throw noMember('computers');
}

export function noMember(what: 'computers' | 'volumes'): ApiError {
  const message = `No member of the cluster takes new ${what}.`;
  return new ApiError('engine_unavailable', message, { remedy: 'See: vc cluster ls' });
}

/** The member with the fewest computers of those that take some. */
export function leastUsed(
  members: readonly Pick<State, 'name' | 'status'>[],
  excluded: ReadonlySet<string>,
  counts: ReadonlyMap<string, number>,
): string | undefined {
  const count = (name: string) => counts.get(name) ?? 0;
  return members
    .filter(({ name, status }) => status === 'online' && !excluded.has(name))
    .map(({ name }) => name)
    .sort((a, b) => count(a) - count(b))[0];
}

export function drainedMembers(store: Store, engine: string): Set<string> {
  const drains = store.drains.list().filter((each) => each.engine === engine);
  return new Set(drains.map(({ member }) => member));
}

/** Computers of an engine by member, without those whose machine is lost; `only` those of a status. */
export function countByMember(store: Store, engine: string, only?: 'running'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of store.computers.listAll()) {
    const { engine: name, member, status } = record;
    if (name !== engine || member === null || isLost(record)) continue;
    if (only !== undefined && status !== only) continue;
    counts.set(member, (counts.get(member) ?? 0) + 1);
  }
  return counts;
}
