import type { Cluster } from '../client/cluster.js';
import { listMembers } from '../client/members.js';
import { clusterErrorOf, gone, memberUnreachable } from '../errors.js';
import { instanceName, KEY } from '../ids.js';
import type { Instance } from './instance.js';
import { SUDO } from './instance-config.js';
import { isUnknownCopy, Moving, movedMachine } from './moves/copies.js';

/** How programs are run in a machine. */
export interface Place {
  /** Base URL of the machine's member; undefined without a cluster. */
  readonly url: string | undefined;
  readonly hasSudo: boolean;
}

/** The instances of the cluster's project. */
export class Instances {
  readonly #cluster: Cluster;
  readonly #serviceId: string;
  /** By machine. */
  readonly #places = new Map<string, Place>();

  constructor(cluster: Cluster, serviceId: string) {
    this.#cluster = cluster;
    this.#serviceId = serviceId;
  }

  all(signal?: AbortSignal): Promise<Instance[]> {
    return this.#cluster.ask('/1.0/instances?recursion=1', { signal });
  }

  /**
   * Undefined if there is none, or one of another service. Throws for one that cannot be reached, or
   * that is being moved to another member.
   */
  async find(id: string, signal?: AbortSignal): Promise<Instance | undefined> {
    const instance = await this.named(id, signal);
    if (instance !== undefined) return instance;
    const all = await this.all(signal);
    if (all.some((each) => movedMachine(this.#serviceId, each) === id)) throw new Moving();
    const lost = all.find(isUnknownCopy);
    if (lost !== undefined) throw memberUnreachable(lost.location);
    // The copy may have got its name while the list was made, which then has neither.
    return this.named(id, signal);
  }

  /** The instance with the name of the machine; one that is being moved may have another. */
  async named(id: string, signal?: AbortSignal): Promise<Instance | undefined> {
    const name = instanceName(id);
    try {
      const instance = await this.#cluster.ask<Instance>(`/1.0/instances/${name}`, { signal });
      return instance.config?.[KEY.service] === this.#serviceId ? instance : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw await this.#reason(name, error, signal);
    }
  }

  /** Throws `not_found`. */
  async get(id: string, signal?: AbortSignal): Promise<Instance> {
    const instance = await this.find(id, signal);
    if (instance === undefined) throw gone();
    return instance;
  }

  /** Asked for once. */
  async place(id: string, signal?: AbortSignal): Promise<Place> {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const { location, config } = await this.get(id, signal);
    const members = await listMembers(this.#cluster, signal);
    const url = members.find(({ server_name }) => server_name === location)?.url;
    const place = { url, hasSudo: config?.[SUDO] === '1' };
    this.#places.set(id, place);
    return place;
  }

  /** The machine may be moved, or is not there any more. */
  forget(id: string): void {
    this.#places.delete(id);
  }

  /** An error that the member's absence explains says so. */
  async #reason(name: string, error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const all = await this.all(signal).catch(() => []);
    const lost = all.find((instance) => instance.name === name && instance.config === null);
    return lost === undefined ? error : memberUnreachable(lost.location);
  }
}

/** The cluster has no such instance. */
export function isMissing(error: unknown): boolean {
  return clusterErrorOf(error)?.status === 404;
}
