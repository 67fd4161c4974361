import { ApiError } from '../contract/errors.js';
import type { Project, ProjectWithComputers } from '../contract/resources.js';
import type { Owner } from './access.js';
import type { Computers } from './computers.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';
import type { ComputerRecord } from './store/records.js';
import { projectView } from './views.js';

export type ProjectStep = 'start' | 'stop' | 'restart';

/** Runs what is done to one computer of a project; a caller that gives its own sees how it ends. */
export type EachComputer = <T>(record: ComputerRecord, work: () => Promise<T>) => Promise<T>;
const plainly: EachComputer = (_, work) => work();

/** Projects of an owner; somebody else's answer as if they did not exist. */
export class Projects {
  readonly #store: Store;
  readonly #computers: Computers;

  constructor(store: Store, computers: Computers) {
    this.#store = store;
    this.#computers = computers;
  }

  create(owner: Owner, name: string): Project {
    const row = this.#store.projects.create(owner.id, name);
    if (row) return projectView(row);
    throw new ApiError('name_taken', `You have a project named ${JSON.stringify(name)} already.`);
  }

  list(owner: Owner): Project[] {
    return this.#store.projects.list(owner.id).map(projectView);
  }

  get(owner: Owner, nameOrId: string): ProjectWithComputers {
    const row = this.find(owner, nameOrId);
    return { ...projectView(row), computers: this.#computers.list(row.id) };
  }

  find(owner: Owner, nameOrId: string): ProjectRow {
    const row = this.#store.projects.find(owner.id, nameOrId);
    if (row) return row;
    throw new ApiError('not_found', `There is no project "${nameOrId}".`);
  }

  /** Deletes its computers, then the project. */
  async remove(owner: Owner, nameOrId: string, run: EachComputer = plainly): Promise<void> {
    const row = this.find(owner, nameOrId);
    const records = this.#store.transaction(() => {
      const present = this.#store.computers.listOfProject(row.id);
      for (const record of present) this.#computers.refuseProtected(record);
      this.#store.projects.markDeleting(row.id);
      return present;
    });
    const results = await Promise.allSettled(
      records.map((record) => run(record, () => this.#computers.remove(record))),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    this.#store.projects.remove(row.id);
  }

  /** Does the same to every computer of the project; one that fails does not hold up the others. */
  async each(owner: Owner, nameOrId: string, step: ProjectStep, run: EachComputer = plainly) {
    const row = this.find(owner, nameOrId);
    const records = this.#store.computers.listOfProject(row.id);
    const computers = await Promise.all(records.map((record) => this.#attempt(record, step, run)));
    return { success: computers.every((computer) => computer.error === undefined), computers };
  }

  async #attempt(record: ComputerRecord, step: ProjectStep, run: EachComputer) {
    try {
      const computer = await run(record, () => this.#computers[step](record));
      return { id: computer.id, status: computer.status };
    } catch (error) {
      const status = this.#store.computers.findById(record.id)?.status ?? 'deleting';
      return { id: record.id, status, error: error instanceof Error ? error.message : `${error}` };
    }
  }
}
