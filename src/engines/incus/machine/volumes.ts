import { ApiError } from '../../../contract/errors.js';
import type { NewVolume } from '../../engine.js';
import type { Cluster } from '../client/cluster.js';
import { readFacts } from '../client/facts.js';
import { clusterErrorOf } from '../errors.js';
import { KEY, volumeName } from '../ids.js';
import { isMissing } from './instances.js';
import { targetOf } from './placement.js';

/** Volumes with many files are removed slowly. */
const REMOVE_MS = 3_600_000;

interface CustomVolume {
  readonly config: Readonly<Record<string, string>> | null;
}

interface VolumeState {
  /** Only where the storage pool counts. */
  readonly usage?: { readonly used?: number } | null;
}

/**
 * Volumes: custom storage volumes of the cluster's project. Containers with different ids mount them with
 * `security.shifted`: each sees the files of its own root and user.
 */
export class Volumes {
  readonly #cluster: Cluster;
  readonly #serviceId: string;

  constructor(cluster: Cluster, serviceId: string) {
    this.#cluster = cluster;
    this.#serviceId = serviceId;
  }

  async create({ id, member }: NewVolume, signal: AbortSignal | undefined): Promise<void> {
    const config = {
      'security.shifted': 'true',
      [KEY.service]: this.#serviceId,
      [KEY.volume]: id,
    };
    const body = { name: volumeName(id), content_type: 'filesystem', config };
    const target = targetOf(member === undefined ? undefined : { member });
    const path = `${await this.#all(signal)}${target}`;
    await this.#cluster.run(path, { method: 'POST', body, signal }).catch((error) => {
      if (!/already exists/i.test(clusterErrorOf(error)?.message ?? '')) throw error;
    });
  }

  async remove(id: string, signal: AbortSignal | undefined): Promise<void> {
    const path = await this.#of(id, signal);
    try {
      const { config } = await this.#cluster.ask<CustomVolume>(path, { signal });
      // Never one of another service.
      if (config?.[KEY.service] !== this.#serviceId) return;
      await this.#cluster.run(path, { method: 'DELETE', ms: REMOVE_MS, signal });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async bytes(id: string, signal: AbortSignal | undefined): Promise<number> {
    const path = `${await this.#of(id, signal)}/state`;
    const { usage } = await this.#cluster.ask<VolumeState>(path, { signal });
    if (usage?.used !== undefined) return usage.used;
    throw new ApiError('unsupported', 'The storage pool of the cluster does not measure volumes.');
  }

  async #of(id: string, signal: AbortSignal | undefined): Promise<string> {
    return `${await this.#all(signal)}/${volumeName(id)}`;
  }

  async #all(signal: AbortSignal | undefined): Promise<string> {
    const { pool } = await readFacts(this.#cluster, signal);
    return `/1.0/storage-pools/${pool}/volumes/custom`;
  }
}
