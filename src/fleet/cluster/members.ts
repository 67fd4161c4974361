import { ApiError } from '../../contract/errors.js';
import type { ClusterMember, ClusterMemberList } from '../../contract/resources.js';
import {
  type Clustered,
  isClustered,
  type ClusterMember as Member,
} from '../../engines/clustered.js';
import type { Engine } from '../../engines/engine.js';
import { missing } from '../errors/missing.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';

/** The members of the clusters that the service's engines run computers on. */
export class Members {
  readonly #store: Store;
  readonly #machines: Machines;

  constructor(store: Store, machines: Machines) {
    this.#store = store;
    this.#machines = machines;
  }

  async list(signal?: AbortSignal): Promise<ClusterMemberList> {
    const lists = this.#clustered().map(async (engine) => {
      const counts = this.#counts(engine.name);
      return (await engine.members(signal)).map((member) =>
        serializeMember(engine, member, counts.get(member.name) ?? 0),
      );
    });
    return { members: (await Promise.all(lists)).flat() };
  }

  async get(name: string, signal?: AbortSignal): Promise<ClusterMember> {
    const { members } = await this.list(signal);
    const found = members.find((member) => member.name === name);
    if (found !== undefined) return found;
    const known = members.map((member) => member.name);
    throw missing('cluster member', name, { known, list: 'vc cluster ls' });
  }

  #clustered(): (Engine & Clustered)[] {
    const engines = [...this.#machines.engines()];
    const clustered = engines.filter(isClustered);
    if (clustered.length > 0) return clustered;
    const names = engines.map(({ name }) => `"${name}"`).join(', ');
    const message = `This service has no cluster: its engine ${names} runs computers on one machine.`;
    const remedy = 'To run computers on a cluster, see docs/cluster.md.';
    throw new ApiError('unsupported', message, { remedy });
  }

  /** Computers of an engine by member. */
  #counts(engine: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { engine: name, member } of this.#store.computers.listAll()) {
      if (name !== engine || member === null) continue;
      counts.set(member, (counts.get(member) ?? 0) + 1);
    }
    return counts;
  }
}

function serializeMember(
  engine: Engine,
  { name, status, detail, address, architecture, groups, resources }: Member,
  computer_count: number,
): ClusterMember {
  return {
    ...{ name, engine: engine.name, status, detail, address, architecture, groups: [...groups] },
    cpu: resources?.cpu ?? null,
    memory_used_bytes: resources?.memoryUsedBytes ?? null,
    memory_total_bytes: resources?.memoryTotalBytes ?? null,
    disk_used_bytes: resources?.diskUsedBytes ?? null,
    disk_total_bytes: resources?.diskTotalBytes ?? null,
    computer_count,
  };
}
