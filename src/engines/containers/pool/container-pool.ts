import { ApiError } from '../../../contract/errors.js';
import type { MachineEvent, MachineSpec } from '../../engine.js';
import type { MachineIdentity, NewMachine } from '../../pool/reserving.js';
import { WarmPool } from '../../pool/warm-pool.js';
import { ask, QUICK_MS } from '../client.js';
import { imageTag, savedTag } from '../ids.js';
import { HostNameRefused } from '../machine/host-names.js';
import type { Markers } from './markers.js';
import { createSpare, type Spare, type SpareParts } from './spare.js';

export interface ContainerPoolOptions extends SpareParts {
  /** How many machines are kept. */
  readonly size: number;
  /** As of {@link WarmPool}. */
  readonly idleMs?: number;
  readonly markers: Markers;
  identify(): MachineIdentity;
  /** Removes a machine, and all that is known of it. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
  onProblem(message: string): void;
}

/**
 * Machines that were started in advance and are paused, each with the id, key, user and network of
 * the computer that it becomes. Only the host name is new then.
 *
 * Until a computer is stored with its id, a machine is hidden: it is neither listed nor reported.
 * A later service does not know it, and removes it as it removes every machine without a computer.
 */
export class ContainerPool {
  readonly #options: ContainerPoolOptions;
  readonly #pool: WarmPool<NewMachine, Spare>;
  /** Ids of machines that no computer has. */
  readonly #hidden = new Set<string>();
  /** False once the Engine has refused to let the service change a host name. */
  #isPossible = true;
  /** By id, until they are claimed or removed. */
  readonly #spares = new Map<string, Spare>();
  readonly #reserved = new Set<string>();
  /** Of machines that have not been started. */
  readonly #unstarted = new Map<string, MachineSpec>();

  constructor(options: ContainerPoolOptions) {
    this.#options = options;
    this.#pool = new WarmPool({
      size: options.size,
      idleMs: options.idleMs,
      onProblem: options.onProblem,
      machines: {
        keyOf: (spec) => this.#keyOf(spec),
        create: (spec, signal) => this.#create(spec, signal),
        remove: (spare) => this.#remove(spare),
        ended: (spare) => spare.ended.promise,
      },
    });
  }

  /** Whether a machine has no computer, and is not to be listed. */
  hides(id: string): boolean {
    return this.#hidden.has(id);
  }

  async reserve(spec: NewMachine): Promise<MachineIdentity | undefined> {
    const spare = await this.#pool.take(spec);
    if (spare === undefined) return undefined;
    const { id, publicKey, privateKey } = spare;
    this.#reserved.add(id);
    return { id, publicKey, privateKey };
  }

  release(id: string): void {
    const spare = this.#spares.get(id);
    if (spare === undefined || !this.#reserved.delete(id)) return;
    this.#remove(spare).catch((error) =>
      this.#options.onProblem(`A warm machine cannot be removed: ${error.message}`),
    );
  }

  /** A computer is stored with this id. True if its machine exists, complete. */
  claim(spec: MachineSpec): boolean {
    // The copies of one disk are made at once; another is not wanted soon. None can have volumes.
    if (spec.from?.kind !== 'snapshot' && !spec.volumes?.length) this.#unstarted.set(spec.id, spec);
    const spare = this.#spares.get(spec.id);
    if (spare === undefined || !this.#reserved.delete(spec.id)) return false;
    this.#spares.delete(spec.id);
    this.#hidden.delete(spec.id);
    return true;
  }

  /** Called when a machine was started: another of its kind may be wanted soon. */
  started(id: string): void {
    const spec = this.#unstarted.get(id);
    this.#unstarted.delete(id);
    if (spec !== undefined) this.#pool.replenish(spec);
  }

  /** Handles an event of a hidden machine. */
  observe({ id, status }: MachineEvent): void {
    if (status !== 'running') this.#spares.get(id)?.ended.resolve();
  }

  /** Called when a machine was removed, also a reserved one: its computer may never be created. */
  forget(id: string): void {
    this.#unstarted.delete(id);
    this.#dropSpare(id);
    this.#hidden.delete(id);
  }

  forgetOwner(ownerId: string): Promise<void> {
    return this.#pool.forgetOwner(ownerId);
  }

  /** Removes machines that were made from a saved disk; no more are created. */
  forgetDisk(id: string): Promise<void> {
    return this.#pool.forgetDisk(id);
  }

  /**
   * Removes what a killed service left without a container. Rejects when the Engine is away: there
   * is a marker for every computer from the pool, and each request would wait for its time limit.
   */
  async removeAbandoned(signal: AbortSignal): Promise<void> {
    const { markers, containers, remove } = this.#options;
    for (const id of await markers.all()) {
      if (this.hides(id)) continue;
      try {
        // One with a container belongs to a computer, or is removed as an orphan.
        if ((await containers.list(id, signal)).length > 0) continue;
        await remove(id, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ApiError && error.code === 'engine_unavailable') throw error;
        this.#options.onProblem(`A network of a warm machine stays: ${(error as Error).message}`);
      }
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** The image may have been built again; undefined if it was removed. */
  async #keyOf(spec: NewMachine): Promise<string | undefined> {
    const { image, from, cpu, ram, resolution, sudo = true } = spec;
    if (!this.#isPossible) return undefined;
    const { Id } = await ask(this.#options.docker, QUICK_MS, undefined, () =>
      this.#options.docker.getImage(from ? savedTag(from) : imageTag(image)).inspect(),
    );
    return JSON.stringify([Id, cpu, ram, resolution, sudo]);
  }

  async #create(spec: NewMachine, signal: AbortSignal): Promise<Spare> {
    const identity = this.#options.identify();
    this.#hidden.add(identity.id);
    try {
      await this.#options.markers.add(identity.id);
      const spare = await createSpare(identity, spec, this.#options, signal);
      this.#spares.set(identity.id, spare);
      return spare;
    } catch (error) {
      if (error instanceof HostNameRefused) await this.#switchOff();
      await this.#remove(identity);
      throw error;
    }
  }

  /** Machines that are ready could not get the names of their computers either. Never throws. */
  async #switchOff(): Promise<void> {
    this.#isPossible = false;
    this.#options.onProblem('No warm machines are made until the service is restarted.');
    await this.#pool.clear();
  }

  async #remove({ id }: Pick<Spare, 'id'>): Promise<void> {
    this.#dropSpare(id);
    try {
      await this.#options.remove(id);
    } finally {
      // If it is still there, it is listed, and removed as an orphan.
      this.#hidden.delete(id);
    }
  }

  #dropSpare(id: string): void {
    this.#options.discard(id);
    this.#spares.delete(id);
    this.#reserved.delete(id);
  }
}
