import { ApiError } from '../../../src/contract/errors.js';
import type { Clustered, ClusterMember } from '../../../src/engines/clustered.js';
import type {
  MachineSpec,
  MachineState,
  Mounting,
  NewVolume,
} from '../../../src/engines/engine.js';
import { FakeEngine } from '../fake-engine.js';

const state = (name: string, status: ClusterMember['status'], groups: string[]): ClusterMember => ({
  ...{ name, status, groups, detail: 'as recorded', architecture: 'x86_64' },
  address: `${name}.example.com:8443`,
});

/** An engine in memory with three members, of which one is offline. */
export class FakeClusteredEngine extends FakeEngine implements Clustered, Mounting {
  /** Members of volumes, by id. */
  readonly volumes = new Map<string, string | undefined>();
  readonly places = new Map<string, string>();
  /** Ids of machines that a list lacks because they are being moved. */
  readonly moving = new Set<string>();
  readonly found: ClusterMember[] = [
    {
      ...state('m1', 'online', ['default']),
      resources: {
        ...{ cpu: 2, memoryUsedBytes: 1, memoryTotalBytes: 2 },
        ...{ diskUsedBytes: 3, diskTotalBytes: 4 },
      },
    },
    state('m2', 'online', ['default', 'fast']),
    state('m3', 'offline', ['slow']),
  ];

  async members(): Promise<ClusterMember[]> {
    return [...this.found];
  }

  memberStates(): Promise<ClusterMember[]> {
    return this.members();
  }

  async memberOf(id: string): Promise<string | undefined> {
    return this.places.get(id);
  }

  override async create(spec: MachineSpec): Promise<void> {
    await super.create(spec);
    const { placement } = spec;
    const group = placement !== undefined && 'group' in placement ? placement.group : 'default';
    const chosen = this.found.find(({ groups }) => groups.includes(group))?.name ?? 'm1';
    const member = placement !== undefined && 'member' in placement ? placement.member : chosen;
    this.places.set(spec.id, member);
  }

  override async list(): Promise<MachineState[]> {
    const listed = (await super.list()).filter(({ id }) => !this.moving.has(id));
    return listed.map((each) => {
      const member = this.places.get(each.id);
      return member === undefined ? each : { ...each, member };
    });
  }

  async createVolume({ id, member }: NewVolume): Promise<void> {
    this.volumes.set(id, member);
  }

  async removeVolume(id: string): Promise<void> {
    this.volumes.delete(id);
  }

  async volumeBytes(): Promise<number> {
    return 0;
  }

  async move(id: string, member: string): Promise<void> {
    await this.step('move', id);
    if (!this.machines.has(id)) throw new ApiError('not_found', 'no such machine');
    if (this.machines.get(id)?.status === 'running') throw new ApiError('conflict', 'it runs');
    this.places.set(id, member);
  }

  async unlisted(ids: readonly string[]): Promise<MachineState[]> {
    const moving = ids.filter((id) => this.moving.has(id) && this.machines.has(id));
    return moving.map((id) => ({ id, status: 'unreachable', isMoving: true }));
  }
}
