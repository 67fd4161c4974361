import { ApiError } from '../../../contract/errors.js';
import type { SavedDisk, SaveRequest } from '../../engine.js';
import { isMachineId } from '../../machine-id.js';
import type { Cluster } from '../client/cluster.js';
import { readFacts } from '../client/facts.js';
import { inTurn } from '../client/in-turn.js';
import { clusterErrorOf, memberUnreachable } from '../errors.js';
import { instanceName, KEY, machineOf, PROPERTY, savedAlias } from '../ids.js';
import type { InstanceSource } from './instance-config.js';
import { type Instances, isMissing } from './instances.js';
import { locationOf } from './state.js';

/** A storage pool that copies every file takes minutes, and so does an archive of all files. */
const SAVE_MS = 3_600_000;

interface Volume {
  /** `INSTANCE/SNAPSHOT` for a snapshot. */
  readonly name: string;
  readonly location: string;
}

interface Snapshot {
  readonly id: string;
  readonly machine: string;
  /** Undefined without a cluster. */
  readonly member: string | undefined;
  readonly isReachable: boolean;
}

interface PublishedImage {
  readonly fingerprint: string;
  readonly size: number;
  readonly properties: Readonly<Record<string, string>> | null;
}

interface SavedDisksOptions {
  readonly cluster: Cluster;
  readonly instances: Instances;
  readonly serviceId: string;
}

/**
 * Saved disks: snapshots of the machines' instances, which go with their instance, and images published
 * from them, which any member can make machines from.
 */
export class SavedDisks {
  readonly #cluster: Cluster;
  readonly #instances: Instances;
  readonly #serviceId: string;

  constructor({ cluster, instances, serviceId }: SavedDisksOptions) {
    this.#cluster = cluster;
    this.#instances = instances;
    this.#serviceId = serviceId;
  }

  /** The cluster does not measure snapshots: their size counts as 0. */
  async list(signal?: AbortSignal): Promise<SavedDisk[]> {
    const [snapshots, images] = await Promise.all([this.#snapshots(signal), this.#images(signal)]);
    const published = images.map(({ size, properties }): SavedDisk => {
      const { [PROPERTY.saved]: id = '', [PROPERTY.machine]: machine = '' } = properties ?? {};
      const kind = properties?.[PROPERTY.kind] === 'snapshot' ? 'snapshot' : 'image';
      return { id, kind, machine, bytes: size, memory: false };
    });
    const ids = new Set(published.map(({ id }) => id));
    const others = snapshots.filter(({ id }) => !ids.has(id));
    return [
      ...published,
      ...others.map(({ id, machine }): SavedDisk => {
        return { id, kind: 'snapshot', machine, bytes: 0, memory: false };
      }),
    ];
  }

  async save(
    machine: string,
    { id, kind, of }: SaveRequest,
    signal: AbortSignal | undefined,
  ): Promise<SavedDisk> {
    if (kind === 'snapshot' && of === undefined) await this.#snapshot(machine, id, signal);
    else if ((await this.#published(id, signal)).length === 0) {
      const source = of === undefined ? { machine, id } : await this.#found(of.id, signal);
      if (of === undefined) await this.#snapshot(machine, id, signal);
      try {
        await this.#publish(source, { id, kind, machine }, signal);
      } finally {
        if (of === undefined) await this.#removeSnapshot(machine, id, signal);
      }
    }
    const disk = (await this.list(signal)).find((each) => each.id === id);
    if (disk) return disk;
    throw gone();
  }

  /** What a new machine is made from, and where that is. */
  async source(
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly source: InstanceSource; readonly member: string | undefined }> {
    if ((await this.#published(id, signal)).length > 0) {
      return { source: { type: 'image', alias: savedAlias(id) }, member: undefined };
    }
    const { machine, member } = await this.#found(id, signal);
    return { source: { type: 'copy', source: `${instanceName(machine)}/${id}` }, member };
  }

  async remove(id: string, signal?: AbortSignal): Promise<void> {
    for (const { fingerprint } of await this.#published(id, signal)) {
      const path = `/1.0/images/${fingerprint}`;
      await this.#cluster.run(path, { method: 'DELETE', signal }).catch(unlessMissing);
    }
    for (const snapshot of await this.#snapshots(signal)) {
      if (snapshot.id !== id) continue;
      if (!snapshot.isReachable) throw memberUnreachable(snapshot.member ?? '');
      await this.#removeSnapshot(snapshot.machine, id, signal);
    }
  }

  async #snapshot(machine: string, name: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#instances.get(machine, signal);
    await createSnapshot(this.#cluster, machine, name, signal);
  }

  async #removeSnapshot(
    machine: string,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const path = `/1.0/instances/${instanceName(machine)}/snapshots/${name}`;
    const query = { method: 'DELETE', signal } as const;
    await inTurn(() => this.#cluster.run(path, query), signal).catch(unlessMissing);
  }

  async #publish(
    source: Pick<Snapshot, 'id' | 'machine'>,
    { id, kind, machine }: Pick<SaveRequest, 'id' | 'kind'> & { readonly machine: string },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { config } = await this.#instances.get(machine, signal);
    const body = {
      source: { type: 'snapshot', name: `${instanceName(source.machine)}/${source.id}` },
      public: false,
      // Members unpack it once; to compress it takes a minute.
      compression_algorithm: 'none',
      properties: {
        [PROPERTY.saved]: id,
        [PROPERTY.kind]: kind,
        [PROPERTY.service]: this.#serviceId,
        [PROPERTY.machine]: machine,
        [PROPERTY.os]: config?.[KEY.os] ?? 'linux',
      },
      aliases: [{ name: savedAlias(id), description: '' }],
    };
    await this.#cluster.run('/1.0/images', { method: 'POST', body, ms: SAVE_MS, signal });
  }

  async #images(signal: AbortSignal | undefined): Promise<PublishedImage[]> {
    const all = await this.#cluster.ask<PublishedImage[]>('/1.0/images?recursion=1', { signal });
    return all.filter(
      ({ properties }) =>
        properties?.[PROPERTY.service] === this.#serviceId &&
        isMachineId(properties[PROPERTY.saved] ?? ''),
    );
  }

  async #published(id: string, signal: AbortSignal | undefined): Promise<PublishedImage[]> {
    const all = await this.#images(signal);
    return all.filter(({ properties }) => properties?.[PROPERTY.saved] === id);
  }

  async #found(id: string, signal: AbortSignal | undefined): Promise<Snapshot> {
    const found = (await this.#snapshots(signal)).find((each) => each.id === id);
    if (found) return found;
    throw gone();
  }

  /** Also those on members that cannot be reached, of which the cluster knows the names. */
  async #snapshots(signal: AbortSignal | undefined): Promise<Snapshot[]> {
    const { pool } = await readFacts(this.#cluster, signal);
    const path = `/1.0/storage-pools/${pool}/volumes/container?recursion=1`;
    const [volumes, instances] = await Promise.all([
      this.#cluster.ask<Volume[]>(path, { signal }),
      this.#instances.all(signal),
    ]);
    const configs = new Map(instances.map(({ name, config }) => [name, config]));
    return volumes.flatMap(({ name, location }) => {
      const [instance = '', id = ''] = name.split('/');
      const machine = machineOf(instance);
      const config = configs.get(instance);
      const isOther = config === undefined || (config && config[KEY.service] !== this.#serviceId);
      if (machine === undefined || !isMachineId(id) || isOther) return [];
      return [{ id, machine, member: locationOf({ location }), isReachable: config !== null }];
    });
  }
}

/** Makes a snapshot of a machine's instance, unless it has one of that name. */
export async function createSnapshot(
  cluster: Cluster,
  machine: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/1.0/instances/${instanceName(machine)}/snapshots`;
  const query = { method: 'POST', body: { name, stateful: false }, ms: SAVE_MS, signal } as const;
  await inTurn(() => cluster.run(path, query), signal).catch((error) => {
    if (!/already (exists|in use)/i.test(clusterErrorOf(error)?.message ?? '')) throw error;
  });
}

function unlessMissing(error: unknown): void {
  if (!isMissing(error) && !/not found/i.test(clusterErrorOf(error)?.message ?? '')) throw error;
}

function gone(): ApiError {
  return new ApiError('not_found', 'The saved disk no longer exists.');
}
