import { ApiError } from '../../contract/errors.js';
import type { Project, ProjectWithComputers, UpdateProject } from '../../contract/resources.js';
import type { Owner } from '../accounts/api-keys.js';
import { AtOnce } from '../accounts/at-once.js';
import { isWithin } from '../accounts/scope.js';
import { MOST_NAMES, missing } from '../errors/missing.js';
import { publicMessage } from '../errors/public-message.js';
import { remedyOf } from '../errors/remedies.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord } from '../store/records.js';
import type { Computers } from './computers.js';
import type { OnCreated } from './idempotency.js';
import type { Quota } from './quota.js';
import { serializeProject } from './serializers.js';

export type ProjectStep = 'start' | 'stop' | 'restart';

/** Starts the audit entry of a computer; the result writes it, with the error of a failure. */
export type StartEntry = (record: ComputerRecord) => (error?: unknown) => void;
const notAudited: StartEntry = () => () => undefined;

/** Operations on whole projects of an owner at once: each concerns up to a thousand computers. */
const MOST_AT_ONCE = 16;
/** Errors that are thrown before anything is done. */
const REFUSALS: readonly string[] = ['conflict', 'limit_reached'];

/** The status of computers of which a step changes nothing. */
const DONE = { start: 'running', stop: 'stopped', restart: undefined } as const;

/** Projects of an owner. Another owner's project, or one that the key is not for, is reported as missing. */
export class Projects {
  readonly #store: Store;
  readonly #computers: Computers;
  readonly #quota: Quota;
  readonly #atOnce = new AtOnce('operations on whole projects', MOST_AT_ONCE);

  constructor(store: Store, computers: Computers, quota: Quota) {
    this.#store = store;
    this.#computers = computers;
    this.#quota = quota;
  }

  /** `onCreated` is called in the transaction that writes it. */
  create(owner: Owner, name: string, onCreated: OnCreated = () => {}): Project {
    this.#quota.refuseManyProjects(owner.id);
    const row = this.#store.transaction(() => {
      const created = this.#store.projects.create(owner.id, name);
      if (created) onCreated(created.id);
      return created;
    });
    if (row) return serializeProject(row);
    throw nameTaken(name);
  }

  /** The answer about a project that was created; undefined if it is gone. */
  resume(owner: Owner, id: string): Promise<Project> | undefined {
    const row = this.#store.projects.findOfOwner(owner.id, id);
    return row && isWithin(owner, id) ? Promise.resolve(serializeProject(row)) : undefined;
  }

  list(owner: Owner): Project[] {
    const rows = this.#store.projects.list(owner.id);
    return rows.filter(({ id }) => isWithin(owner, id)).map(serializeProject);
  }

  get(owner: Owner, nameOrId: string): ProjectWithComputers {
    const row = this.find(owner, nameOrId);
    return { ...serializeProject(row), computers: this.#computers.list(row) };
  }

  find(owner: Owner, nameOrId: string): ProjectRow {
    const row = this.#store.projects.find(owner.id, nameOrId);
    if (row && isWithin(owner, row.id)) return row;
    const known = this.#store.projects.names(owner.id, owner.projectId, MOST_NAMES);
    throw missing('project', nameOrId, { known, list: 'vc project ls' });
  }

  /** Changes the given fields. The old name is free at once; the computers stay what they are. */
  update(owner: Owner, nameOrId: string, { name }: UpdateProject): Project {
    let isRenamed = false;
    const row = this.#store.transaction(() => {
      const present = this.find(owner, nameOrId);
      if (name === undefined || name === present.name) return present;
      if (present.deleting) {
        const message = `The project ${JSON.stringify(present.name)} is being deleted.`;
        throw new ApiError('conflict', message);
      }
      if (this.#store.projects.hasName(owner.id, name)) throw nameTaken(name);
      this.#store.projects.rename(present.id, name);
      isRenamed = true;
      return this.find(owner, present.id);
    });
    if (isRenamed) this.#computers.projectRenamed(row.id);
    return serializeProject(row);
  }

  /** Deletes its computers, then the project. Computers that are being deleted have one entry in all. */
  async remove(owner: Owner, nameOrId: string, audit = notAudited): Promise<void> {
    return this.#atOnce.run(owner.id, async () => {
      const row = this.find(owner, nameOrId);
      const records = this.#store.computers.listOfProject(row.id);
      for (const record of records) this.#computers.refuseProtected(record);
      // On a full disk the computers are removed first, which frees space.
      this.#store.writeToFreeSpace(() => void this.#store.projects.markDeleting(row.id));
      const results = await Promise.allSettled(
        records.map((record) => this.#remove(record, audit)),
      );
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      const remove = () => void this.#store.projects.remove(row.id);
      if (!this.#store.writeToFreeSpace(remove)) remove();
    });
  }

  /**
   * Runs the same step on every computer of the project; a failure does not stop the others. Those
   * that it does not change have no audit entry.
   */
  async each(
    owner: Owner,
    nameOrId: string,
    step: ProjectStep,
    audit = notAudited,
    stillAllowed = () => {},
  ) {
    return this.#atOnce.run(owner.id, async () => {
      const row = this.find(owner, nameOrId);
      const records = this.#store.computers.listOfProject(row.id);
      const results = await Promise.allSettled(
        records.map((record) => this.#attempt(owner, record, step, { audit, stillAllowed })),
      );
      const computers = results.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      });
      return { success: computers.every((computer) => !('error' in computer)), computers };
    });
  }

  async #remove(record: ComputerRecord, audit: StartEntry): Promise<void> {
    const status = this.#store.computers.findById(record.id)?.status ?? 'deleting';
    const write = status === 'deleting' ? () => undefined : audit(record);
    try {
      await this.#computers.remove(record);
      write();
    } catch (error) {
      write(error);
      throw error;
    }
  }

  async #attempt(
    owner: Owner,
    record: ComputerRecord,
    step: ProjectStep,
    { audit, stillAllowed }: { readonly audit: StartEntry; readonly stillAllowed: () => void },
  ) {
    const { id, name } = record;
    const before = this.#store.computers.findById(id)?.status;
    if (before !== undefined && before === DONE[step]) {
      return { id, name, status: before, changed: false };
    }
    const write = audit(record);
    try {
      stillAllowed();
      const { status } =
        step === 'stop'
          ? await this.#computers.stop(record, owner)
          : await this.#computers[step](record, 'ready', stillAllowed);
      const changed = step === 'restart' || status !== record.status;
      if (changed) write();
      return { id, name, status, changed };
    } catch (error) {
      const status = this.#store.computers.findById(id)?.status ?? 'deleting';
      const isRefused = error instanceof ApiError && REFUSALS.includes(error.code);
      if (!isRefused || status !== record.status) write(error);
      const message = publicMessage(error);
      const remedy = error instanceof ApiError ? remedyOf(error, { computer: record }) : undefined;
      const failed = { id, name, status, changed: false, error: message };
      return remedy === undefined ? failed : { ...failed, remedy };
    }
  }
}

function nameTaken(name: string): ApiError {
  const message = `You have a project named ${JSON.stringify(name)} already.`;
  return new ApiError('name_taken', message, { remedy: 'Choose another name. See: vc project ls' });
}
