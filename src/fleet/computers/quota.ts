import { ApiError } from '../../contract/errors.js';
import type { Me } from '../../contract/resources.js';
import { presentOwner } from '../accounts/present-owner.js';
import type { Budgets } from '../consumption/budgets.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';

/** Projects of an owner. */
const MOST_PROJECTS = 1_000;
/** Computers of an owner besides those that may run. */
const MOST_STOPPED = 1_000;

/** Bytes of a GB, of storage. */
const GB = 1e9;

/** Limits of every owner that has none of its own. */
export interface Limits {
  readonly maxRunning: number;
  /** GB of snapshots, images and volumes. */
  readonly maxStorage: number;
}

/** Limits of an owner: projects, computers, running computers, and unique names in a project. */
export class Quota {
  readonly #store: Store;
  readonly #budgets: Budgets;
  readonly #limits: Limits;

  constructor(store: Store, budgets: Budgets, limits: Limits) {
    this.#store = store;
    this.#budgets = budgets;
    this.#limits = limits;
  }

  /** Running computers of the owner, and the limit. */
  usage(ownerId: string): Pick<Me, 'running' | 'max_running'> {
    const max_running = this.#limit(ownerId);
    return { running: this.#store.computers.countRunning(ownerId), max_running };
  }

  /** Bytes of snapshots, images, copies and volumes of the owner, how many of them the cache of builds takes, and the limit in GB. */
  storage(ownerId: string): {
    readonly storage_bytes: number;
    readonly build_cache_bytes: number;
    readonly max_storage: number;
  } {
    const own = this.#store.owners.findOwner(ownerId)?.max_storage;
    const storage_bytes =
      this.#store.savedDisks.bytes(ownerId) + this.#store.volumes.bytes(ownerId);
    const build_cache_bytes = this.#store.savedDisks.cachedBytes(ownerId);
    return { storage_bytes, build_cache_bytes, max_storage: own ?? this.#limits.maxStorage };
  }

  /** By how many bytes the owner is over the limit of storage with `saved` more. */
  excessStorage(ownerId: string, saved = 0): number {
    const { storage_bytes, max_storage } = this.storage(ownerId);
    return Math.max(0, storage_bytes + saved - max_storage * GB);
  }

  /** @param saved bytes of what is saved already and not counted yet */
  refuseStorage(ownerId: string, saved = 1): void {
    const owner = presentOwner(this.#store, ownerId);
    const { max_storage } = this.storage(ownerId);
    if (this.excessStorage(ownerId, saved) === 0) return;
    const message = `The limit of storage (${max_storage} GB) is reached.`;
    const raise = `vc owner set ${owner.name} --max-storage ${max_storage + 10}`;
    const who = owner.role === 'administrator' ? 'raise the limit' : 'ask an administrator';
    throw new ApiError('limit_reached', message, {
      remedy: `Remove snapshots, images or volumes, or ${who}: ${raise}`,
    });
  }

  /** `keyId` is that of the key whose computers they are: it may have a budget of hours. */
  refuseOverLimit(ownerId: string, keyId: string | null, more = 1): void {
    if (keyId !== null) this.#budgets.refuse(keyId, 'hours');
    const owner = presentOwner(this.#store, ownerId);
    const { running, max_running } = this.usage(ownerId);
    if (running + more <= max_running) return;
    const message = `The limit of running computers (${max_running}) is reached.`;
    // Takes effect at once; the service's own limit needs a restart with another option.
    const raise = `vc owner set ${owner.name} --max-running ${running + more}`;
    const who = owner.role === 'administrator' ? 'raise the limit' : 'ask an administrator';
    throw new ApiError('limit_reached', message, {
      remedy: `Stop or remove one, or ${who}: ${raise}`,
    });
  }

  /** For more computers, running or not. */
  refuseManyComputers(ownerId: string, more = 1): void {
    presentOwner(this.#store, ownerId);
    const most = this.#limit(ownerId) + MOST_STOPPED;
    if (this.#store.computers.count(ownerId) + more <= most) return;
    const message = `You have ${most} computers, running or stopped, which is the limit.`;
    throw new ApiError('limit_reached', message, {
      remedy: 'Remove one first: vc rm PROJECT/NAME',
    });
  }

  /** For one more project. */
  refuseManyProjects(ownerId: string): void {
    presentOwner(this.#store, ownerId);
    if (this.#store.projects.count(ownerId) < MOST_PROJECTS) return;
    throw new ApiError('limit_reached', `You have ${MOST_PROJECTS} projects, which is the limit.`, {
      remedy: 'Remove one first: vc project rm NAME',
    });
  }

  refuseName(project: Pick<ProjectRow, 'id' | 'name'>, name: string): void {
    if (!this.#store.computers.findByName(project.id, name)) return;
    const message = `The project "${project.name}" has a computer named ${JSON.stringify(name)} already.`;
    const remedy = `Choose another name. See: vc ls -p ${project.name}`;
    throw new ApiError('name_taken', message, { remedy });
  }

  #limit(ownerId: string): number {
    return this.#store.owners.findOwner(ownerId)?.max_running ?? this.#limits.maxRunning;
  }
}
