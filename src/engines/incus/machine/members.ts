import type { ClusterMember, MemberResources } from '../../clustered.js';
import type { Cluster } from '../client/cluster.js';
import { readFacts } from '../client/facts.js';
import { listMembers, type Member } from '../client/members.js';

/** A member that is asked for its resources answers within this time, or they are not known. */
const MEASURED_WITHIN_MS = 5_000;

interface Resources {
  readonly cpu?: { readonly total?: number };
  readonly memory?: { readonly used?: number; readonly total?: number };
}

interface PoolResources {
  readonly space?: { readonly used?: number; readonly total?: number };
}

type MemberState = Omit<ClusterMember, 'resources'>;

export async function memberStates(cluster: Cluster, signal?: AbortSignal): Promise<MemberState[]> {
  const members = await listMembers(cluster, signal);
  return members.map(memberState).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The members with what they have and use; an offline one is not asked. */
export async function measuredMembers(
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<ClusterMember[]> {
  const [states, { pool }] = await Promise.all([
    memberStates(cluster, signal),
    readFacts(cluster, signal),
  ]);
  const measured = states.map(async (state) => {
    if (state.status === 'offline') return state;
    const resources = await measure(cluster, state.name, pool, signal).catch(() => undefined);
    return resources === undefined ? state : { ...state, resources };
  });
  const members = await Promise.all(measured);
  signal?.throwIfAborted();
  return members;
}

function memberState(member: Member): MemberState {
  const { server_name: name, message, url, architecture = '', groups } = member;
  return {
    name,
    status: statusOf(member.status),
    detail: message,
    architecture,
    address: new URL(url).host,
    groups: [...(groups ?? [])].sort(),
  };
}

function statusOf(status: string): ClusterMember['status'] {
  if (/^evacuated$/i.test(status)) return 'evacuated';
  // A blocked member waits until others have its version: it changes nothing.
  return /^online$/i.test(status) ? 'online' : 'offline';
}

async function measure(
  cluster: Cluster,
  name: string,
  pool: string,
  signal: AbortSignal | undefined,
): Promise<MemberResources> {
  const query = { ms: MEASURED_WITHIN_MS, signal };
  const target = `?target=${encodeURIComponent(name)}`;
  const [{ cpu, memory }, { space }] = await Promise.all([
    cluster.ask<Resources>(`/1.0/resources${target}`, query),
    cluster.ask<PoolResources>(`/1.0/storage-pools/${pool}/resources${target}`, query),
  ]);
  return {
    cpu: cpu?.total ?? 0,
    memoryUsedBytes: memory?.used ?? 0,
    memoryTotalBytes: memory?.total ?? 0,
    diskUsedBytes: space?.used ?? 0,
    diskTotalBytes: space?.total ?? 0,
  };
}
