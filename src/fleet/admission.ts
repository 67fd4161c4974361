import { ApiError } from '../contract/errors.js';
import type { Me } from '../contract/resources.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';

/** What an owner may have: so many computers running, and a name once in a project. */
export class Admission {
  readonly #store: Store;
  readonly #maxRunning: number;

  constructor(store: Store, maxRunning: number) {
    this.#store = store;
    this.#maxRunning = maxRunning;
  }

  /** How many of the owner's computers run, and how many may. */
  usage(ownerId: string): Pick<Me, 'running' | 'max_running'> {
    const limit = this.#store.owners.findOwner(ownerId)?.max_running ?? this.#maxRunning;
    return { running: this.#store.computers.countRunning(ownerId), max_running: limit };
  }

  refuseOverLimit(ownerId: string): void {
    const { running, max_running } = this.usage(ownerId);
    if (running < max_running) return;
    const message = `${max_running} computers run already, which is the limit; stop or delete one first.`;
    throw new ApiError('limit_reached', message);
  }

  refuseName(project: Pick<ProjectRow, 'id' | 'name'>, name: string): void {
    if (!this.#store.computers.findByName(project.id, name)) return;
    const message = `The project "${project.name}" has a computer named ${JSON.stringify(name)} already.`;
    throw new ApiError('name_taken', message);
  }
}
