import { ApiError } from '../../contract/errors.js';
import type { CreateComputer } from '../../contract/resources.js';
import { type ClusterMember, isClustered } from '../../engines/clustered.js';
import type { Engine } from '../../engines/engine.js';
import { suggestion } from '../errors/missing.js';
import type { Store } from '../store/index.js';
import { drainedMembers } from './place-new.js';

const LIST = 'vc cluster ls';

interface State extends Pick<ClusterMember, 'name' | 'groups'> {
  readonly status: ClusterMember['status'] | 'drained';
}

/** Refuses a member or group that a computer cannot be created on now. */
export async function refuseImpossiblePlacement(
  engine: Engine,
  { member, group }: Pick<CreateComputer, 'member' | 'group'>,
  store: Store,
): Promise<void> {
  if (member === undefined && group === undefined) return;
  if (member !== undefined && group !== undefined) {
    const message = 'member cannot be given together with group.';
    throw new ApiError('invalid_request', message, { remedy: 'Use one of them.' });
  }
  if (!isClustered(engine)) {
    const message = `The engine "${engine.name}" has no cluster members to choose from.`;
    throw new ApiError('unsupported', message, { remedy: 'Leave out the member and the group.' });
  }
  const drained = drainedMembers(store, engine.name);
  const members = (await engine.memberStates()).map((each) => ({
    ...each,
    status: drained.has(each.name) && each.status === 'online' ? ('drained' as const) : each.status,
  }));
  if (member !== undefined) refuseMember(members, member);
  if (group !== undefined) refuseGroup(members, group);
}

function refuseMember(members: readonly State[], name: string): void {
  const found = members.find((each) => each.name === name);
  if (found === undefined) {
    throw unknown(
      'member',
      name,
      members.map((each) => each.name),
    );
  }
  if (found.status === 'online') return;
  const message = `The cluster member "${name}" is ${found.status}.`;
  const remedy = `Use another one, or none; see: ${LIST}`;
  throw new ApiError('conflict', message, { remedy });
}

function refuseGroup(members: readonly State[], name: string): void {
  const found = members.filter(({ groups }) => groups.includes(name));
  const known = [...new Set(members.flatMap(({ groups }) => groups))].sort();
  if (found.length === 0) throw unknown('group', name, known);
  if (found.some(({ status }) => status === 'online')) return;
  const message = `No member of the cluster group "${name}" is online.`;
  const remedy = `Use another one, or none; see: ${LIST}`;
  throw new ApiError('conflict', message, { remedy });
}

function unknown(what: 'member' | 'group', name: string, known: readonly string[]): ApiError {
  const message = `The cluster has no ${what} "${name}"; it has: ${known.join(', ') || 'none'}.`;
  return new ApiError('invalid_request', message, { remedy: suggestion(name, known, LIST) });
}
