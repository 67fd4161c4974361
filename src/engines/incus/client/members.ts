import type { Cluster } from './cluster.js';

/** A member of the cluster, as far as it is read. */
export interface Member {
  readonly server_name: string;
  readonly url: string;
  /** `Online`, `Offline`, `Evacuated`, `Blocked`. */
  readonly status: string;
  readonly message: string;
  readonly architecture?: string;
  readonly groups?: readonly string[] | null;
}

/** The members; empty for a server that is not clustered. */
export async function listMembers(cluster: Cluster, signal?: AbortSignal): Promise<Member[]> {
  const members = await cluster
    .ask<Member[]>('/1.0/cluster/members?recursion=1', { signal })
    .catch((error) => {
      if (/not clustered|is not a cluster/i.test(String((error as Error).message))) return [];
      throw error;
    });
  cluster.learn(members.map(({ url }) => url));
  return members;
}
