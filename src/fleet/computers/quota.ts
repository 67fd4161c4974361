import { ApiError } from '../../contract/errors.js';
import type { Me } from '../../contract/resources.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';

/** Limits of an owner: running computers, and unique names in a project. */
export class Quota {
  readonly #store: Store;
  readonly #maxRunning: number;

  constructor(store: Store, maxRunning: number) {
    this.#store = store;
    this.#maxRunning = maxRunning;
  }

  /** Running computers of the owner, and the limit. */
  usage(ownerId: string): Pick<Me, 'running' | 'max_running'> {
    const limit = this.#store.owners.findOwner(ownerId)?.max_running ?? this.#maxRunning;
    return { running: this.#store.computers.countRunning(ownerId), max_running: limit };
  }

  refuseOverLimit(ownerId: string): void {
    const { running, max_running } = this.usage(ownerId);
    if (running < max_running) return;
    const message = `The limit of running computers (${max_running}) is reached.`;
    const raise = `vc serve --max-running ${max_running + 1}`;
    const remedy = `Stop or remove one, or raise the limit on the service's host: ${raise}`;
    throw new ApiError('limit_reached', message, { remedy });
  }

  refuseName(project: Pick<ProjectRow, 'id' | 'name'>, name: string): void {
    if (!this.#store.computers.findByName(project.id, name)) return;
    const message = `The project "${project.name}" has a computer named ${JSON.stringify(name)} already.`;
    const remedy = `Choose another name. See: vc computer ls -p ${project.name}`;
    throw new ApiError('name_taken', message, { remedy });
  }
}
