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
import type { DrainProgress, Drains } from './drains.js';
import { countByMember } from './place-new.js';

/** The members of the clusters that the service's engines run computers on. */
export class Members {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #drains: Drains;

  constructor(store: Store, machines: Machines, drains: Drains) {
    this.#store = store;
    this.#machines = machines;
    this.#drains = drains;
  }

  /** Whether computers run on a cluster. */
  get exist(): boolean {
    return [...this.#machines.engines()].some(isClustered);
  }

  async list(signal?: AbortSignal): Promise<ClusterMemberList> {
    const lists = this.#clustered().map(async (engine) => {
      const found = await engine.members(signal);
      const all = countByMember(this.#store, engine.name);
      const running = countByMember(this.#store, engine.name, 'running');
      return found.map((member) => {
        const { name } = member;
        const counts = { all: all.get(name) ?? 0, running: running.get(name) ?? 0 };
        return serializeMember(engine, member, counts, this.#drains.of(engine.name, name));
      });
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

  /** Begins to move the computers of a member to others. It gets no new ones from now on. */
  async drain(name: string, signal?: AbortSignal): Promise<ClusterMember> {
    const { engine } = await this.get(name, signal);
    this.#drains.start(engine, name);
    return this.get(name, signal);
  }

  /** Lets a member have computers again. */
  async return(name: string, signal?: AbortSignal): Promise<ClusterMember> {
    const { engine } = await this.get(name, signal);
    this.#drains.end(engine, name);
    return this.get(name, signal);
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
}

function serializeMember(
  engine: Engine,
  { name, status, detail, address, architecture, groups, resources }: Member,
  counts: { readonly all: number; readonly running: number },
  drain: DrainProgress | undefined,
): ClusterMember {
  return {
    name,
    engine: engine.name,
    detail,
    address,
    architecture,
    groups: [...groups],
    status: drain !== undefined && status === 'online' ? drained(counts.all) : status,
    cpu: resources?.cpu ?? null,
    memory_used_bytes: resources?.memoryUsedBytes ?? null,
    memory_total_bytes: resources?.memoryTotalBytes ?? null,
    disk_used_bytes: resources?.diskUsedBytes ?? null,
    disk_total_bytes: resources?.diskTotalBytes ?? null,
    computer_count: counts.all,
    running_count: counts.running,
    drain: drain === undefined ? null : { ...drain, failed: [...drain.failed] },
  };
}

function drained(computers: number): ClusterMember['status'] {
  return computers > 0 ? 'draining' : 'drained';
}
