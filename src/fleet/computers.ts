import { ApiError } from '../contract/errors.js';
import type {
  Computer,
  ComputerStatus,
  CreateComputer,
  Me,
  UpdateComputer,
} from '../contract/resources.js';
import type { Owner } from './access.js';
import { Admission } from './admission.js';
import { Creation } from './creation.js';
import { Superseded } from './machine.js';
import type { Machines } from './machines.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';
import type { ComputerRecord } from './store/records.js';
import { OCCUPYING } from './store/records.js';
import { withinAnswer } from './time.js';
import { computerView } from './views.js';

/** Whether an answer comes when the computer is ready, or at once. */
export type Waiting = 'ready' | 'no';

/** Computers and their lifecycle: limits, names, intents. */
export class Computers {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #admission: Admission;
  readonly #creation: Creation;

  constructor(store: Store, machines: Machines, maxRunning: number) {
    this.#store = store;
    this.#machines = machines;
    this.#admission = new Admission(store, maxRunning);
    this.#creation = new Creation(store, machines, this.#admission);
  }

  /** Creates a computer and starts it; with `wait` answers when it is ready. */
  async create(
    owner: Owner,
    project: ProjectRow,
    input: CreateComputer,
    wait: Waiting,
  ): Promise<Computer> {
    return this.#begin(await this.#creation.ofImage(owner, project, input), wait);
  }

  /**
   * Makes a copy of a computer in its project: of a running one with its memory, and it runs; of a
   * stopped one with its disk, and it is stopped. With `wait` answers when it is ready.
   */
  async fork(owner: Owner, { id }: ComputerRecord, name: string, wait: Waiting): Promise<Computer> {
    return this.#begin(await this.#creation.ofComputer(owner, id, name), wait);
  }

  /** Does what the row intends. What fails while it is waited for leaves nothing. */
  async #begin(record: ComputerRecord, wait: Waiting): Promise<Computer> {
    const started = this.#machines.of(record).start();
    if (wait === 'no') return this.view(record.id);
    try {
      return await this.#answer(record.id, started);
    } catch (error) {
      // One that was stopped or restarted meanwhile is no creation that failed.
      if (!(error instanceof Superseded)) await this.#discard(record.id);
      throw error;
    }
  }

  /** How many of the owner's computers run, and how many may. */
  usage(ownerId: string): Pick<Me, 'running' | 'max_running'> {
    return this.#admission.usage(ownerId);
  }

  /** Status and engine of every computer, whoever owns it. */
  statuses(): Pick<ComputerRecord, 'status' | 'engine'>[] {
    return this.#store.computers.listAll();
  }

  list(projectId: string): Computer[] {
    return this.#store.computers.listOfProject(projectId).map((record) => this.#view(record));
  }

  /** By id, or by project and name. Somebody else's answers as if it did not exist. */
  find(
    owner: Pick<Owner, 'id'>,
    address: { id: string } | { project: string; name: string },
  ): ComputerRecord {
    const record = 'id' in address ? this.#byId(address.id) : this.#byName(owner, address);
    if (record?.owner_id === owner.id) return record;
    const text = 'id' in address ? address.id : `${address.project}/${address.name}`;
    throw new ApiError('not_found', `There is no computer "${text}".`);
  }

  /** As it now stands. */
  view(id: string): Computer {
    const record = this.#byId(id);
    if (record) return this.#view(record);
    throw new ApiError('not_found', `The computer "${id}" was deleted meanwhile.`);
  }

  async start(record: ComputerRecord, wait: Waiting = 'ready'): Promise<Computer> {
    await this.#afterStopping(record);
    if (this.#intend(record, 'start') === 'running') return this.view(record.id);
    return this.#answer(record.id, this.#machines.of(record).start(), wait);
  }

  async stop(record: ComputerRecord): Promise<Computer> {
    const { status } = this.#refuseDeleting(record);
    if (status !== 'stopped') await this.#machines.of(record).stop();
    return this.view(record.id);
  }

  async restart(record: ComputerRecord, wait: Waiting = 'ready'): Promise<Computer> {
    await this.#afterStopping(record);
    this.#intend(record, 'restart');
    return this.#answer(record.id, this.#machines.of(record).restart(), wait);
  }

  /** Stops it if it runs and removes it with all its data; idempotent. */
  async remove(record: ComputerRecord): Promise<void> {
    this.refuseProtected(record);
    if (this.#byId(record.id)) await this.#machines.of(record).remove();
  }

  /** Changes what can be changed while it runs; what is left out stays as it is. */
  update(record: ComputerRecord, input: UpdateComputer): Computer {
    this.#store.transaction(() => {
      const present = this.#refuseDeleting(record);
      const name = input.name ?? present.name;
      if (name !== present.name) {
        this.#admission.refuseName({ id: present.project_id, name: present.project_name }, name);
      }
      this.#store.computers.update({
        id: present.id,
        name,
        auto_stop_minutes:
          input.auto_stop_minutes === undefined
            ? present.auto_stop_minutes
            : input.auto_stop_minutes,
        protected: input.protected === undefined ? present.protected : Number(input.protected),
      });
    });
    return this.view(record.id);
  }

  refuseProtected(record: ComputerRecord): void {
    if (this.#byId(record.id)?.protected !== 1) return;
    const remedy = 'take the protection off first ("vc computer update --unprotect")';
    throw new ApiError(
      'conflict',
      `The computer ${JSON.stringify(record.name)} is protected; ${remedy}.`,
    );
  }

  /** Writes that it is to run, if the limit allows it; returns what its status is then. */
  #intend(record: ComputerRecord, ask: 'start' | 'restart'): ComputerStatus {
    return this.#store.transaction(() => {
      const { status } = this.#refuseDeleting(record);
      if (!OCCUPYING.includes(status)) this.#admission.refuseOverLimit(record.owner_id);
      // What starts is gone on with as it was meant: only a restart changes that.
      if (ask === 'restart' || status !== 'starting') this.#store.computers.meanToRun(record.id);
      this.#store.computers.change(record.id, ask);
      return this.#refuseDeleting(record).status;
    });
  }

  /** A creation that failed leaves nothing; what cannot be removed now is removed later. */
  async #discard(id: string): Promise<void> {
    const record = this.#byId(id);
    // Protected or not: nobody has it yet.
    if (record)
      await this.#machines
        .of(record)
        .remove()
        .catch(() => undefined);
  }

  async #answer(id: string, ready: Promise<void>, wait: Waiting = 'ready'): Promise<Computer> {
    if (wait === 'no') return this.view(id);
    await withinAnswer(ready);
    return this.view(id);
  }

  /** Once what ends with it stopped is over: a stop, or the making of a copy that is not to run. */
  async #afterStopping(record: ComputerRecord): Promise<void> {
    const present = this.#byId(record.id);
    const isStillCopied =
      present?.status === 'starting' && present.copy_of !== null && present.copy_runs === 0;
    if (present?.status === 'stopping' || isStillCopied) {
      await this.#machines.of(record).settled();
    }
  }

  #refuseDeleting(record: ComputerRecord): ComputerRecord {
    const present = this.#byId(record.id);
    if (present && present.status !== 'deleting') return present;
    throw new ApiError('conflict', `The computer ${JSON.stringify(record.name)} is being deleted.`);
  }

  #byId(id: string): ComputerRecord | undefined {
    return this.#store.computers.findById(id);
  }

  #byName(
    owner: Pick<Owner, 'id'>,
    address: { project: string; name: string },
  ): ComputerRecord | undefined {
    const project = this.#store.projects.find(owner.id, address.project);
    return project && this.#store.computers.findByName(project.id, address.name);
  }

  #view(record: ComputerRecord): Computer {
    return computerView(record, this.#machines.engine(record.engine).features.isolation);
  }
}
