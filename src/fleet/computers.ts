import { ApiError } from '../contract/errors.js';
import type { Computer, CreateComputer, Me, UpdateComputer } from '../contract/resources.js';
import { canFork } from '../engines/engine.js';
import { generateKeyPair } from '../shell/index.js';
import type { Owner } from './access.js';
import { choosePlace, refuseUnavailableGpu } from './choice.js';
import { generateId } from './ids.js';
import { Superseded } from './machine.js';
import type { Machines } from './machines.js';
import type { NewComputer } from './store/computers.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';
import type { ComputerRecord } from './store/records.js';
import { OCCUPYING } from './store/records.js';
import { sleep } from './time.js';
import { computerView } from './views.js';

/** A request waits so long for a computer to become ready, then answers with how far it is. */
const ANSWER_AFTER_MS = 60_000;

/** Whether an answer comes when the computer is ready, or at once. */
export type Waiting = 'ready' | 'no';

/** What a request decides of a new row; the rest is generated. */
type NewShape = Omit<
  NewComputer,
  'id' | 'project_id' | 'owner_id' | 'status' | 'private_key' | 'public_key' | 'created_at'
>;

/** Computers and their lifecycle: limits, names, intents. */
export class Computers {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #maxRunning: number;

  constructor(store: Store, machines: Machines, maxRunning: number) {
    this.#store = store;
    this.#machines = machines;
    this.#maxRunning = maxRunning;
  }

  /** Creates a computer and starts it; with `wait` answers when it is ready. */
  async create(
    owner: Owner,
    project: ProjectRow,
    input: CreateComputer,
    wait: Waiting,
  ): Promise<Computer> {
    this.#refuseName(project, input.name);
    this.#refuseOverLimit(owner.id);
    const { engine, image, os } = await choosePlace(this.#machines, input);
    refuseUnavailableGpu(engine, input.gpu);
    const { resolution, ...asked } = input;
    return this.#begin(
      this.#insert(owner, project, {
        ...{ ...asked, ...resolution, image, os, protected: input.protected ? 1 : 0 },
        ...{ engine: engine.name, copy_of: null, copy_runs: 1 },
      }),
      wait,
    );
  }

  /**
   * Makes a copy of a computer in its project: of a running one with its memory, and it runs; of a
   * stopped one with its disk, and it is stopped. With `wait` answers when it is ready.
   */
  async fork(owner: Owner, { id }: ComputerRecord, name: string, wait: Waiting): Promise<Computer> {
    const source = await this.#still(id);
    const project = this.#store.projects.find(owner.id, source.project_id);
    if (project === undefined)
      throw new ApiError('not_found', 'Its project was deleted meanwhile.');
    if (!canFork(this.#machines.offeredEngine(source.engine)))
      throw this.#cannotFork(source.engine);
    const copy_runs = source.status === 'running' ? 1 : 0;
    return this.#begin(
      this.#insert(owner, project, {
        ...{ ...source, name, protected: 0, copy_of: source.id, copy_runs },
      }),
      wait,
    );
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
    const limit = this.#store.owners.findOwner(ownerId)?.max_running ?? this.#maxRunning;
    return { running: this.#store.computers.countRunning(ownerId), max_running: limit };
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
    const machine = this.#machines.of(record);
    this.#store.transaction(() => {
      const { status } = this.#refuseDeleting(record);
      if (status === 'running' || status === 'starting') return;
      this.#refuseOverLimit(record.owner_id);
      this.#store.computers.meanToRun(record.id);
      this.#store.computers.setStatus(record.id, 'starting');
    });
    if (this.view(record.id).status === 'running') return this.view(record.id);
    return this.#answer(record.id, machine.start(), wait);
  }

  async stop(record: ComputerRecord): Promise<Computer> {
    const { status } = this.#refuseDeleting(record);
    if (status !== 'stopped') await this.#machines.of(record).stop();
    return this.view(record.id);
  }

  async restart(record: ComputerRecord, wait: Waiting = 'ready'): Promise<Computer> {
    await this.#afterStopping(record);
    this.#store.transaction(() => {
      const { status } = this.#refuseDeleting(record);
      if (!OCCUPYING.includes(status)) this.#refuseOverLimit(record.owner_id);
      this.#store.computers.meanToRun(record.id);
      this.#store.computers.setStatus(record.id, 'starting');
    });
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
        this.#refuseName({ id: present.project_id, name: present.project_name }, name);
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
    throw new ApiError('conflict', `The computer "${record.name}" is protected; ${remedy}.`);
  }

  #insert(owner: Owner, project: ProjectRow, input: NewShape): ComputerRecord {
    const id = generateId('cmp');
    const keys = generateKeyPair();
    // Checked again where nothing can come in between.
    return this.#store.transaction(() => {
      if (this.#store.projects.find(owner.id, project.id)?.deleting !== 0) {
        throw new ApiError('not_found', `There is no project "${project.name}".`);
      }
      this.#refuseName(project, input.name);
      if (input.copy_runs === 1) this.#refuseOverLimit(owner.id);
      this.#store.computers.insert({
        ...input,
        id,
        project_id: project.id,
        owner_id: owner.id,
        status: 'starting',
        private_key: keys.privateKey,
        public_key: keys.publicKey,
        created_at: new Date().toISOString(),
      });
      this.#store.projects.touch(project.id);
      const record = this.#byId(id);
      if (record === undefined) throw new Error(`the row of ${id} was not written`);
      return record;
    });
  }

  /** The computer once no step runs on it; only what runs or is stopped can be copied. */
  async #still(id: string): Promise<ComputerRecord> {
    let record = this.#byId(id);
    if (record?.status === 'starting' || record?.status === 'stopping') {
      await this.#within(this.#machines.of(record).settled());
      record = this.#byId(id);
    }
    if (record === undefined) throw new ApiError('not_found', 'It was deleted meanwhile.');
    if (record.status === 'running' || record.status === 'stopped') return record;
    this.#refuseDeleting(record);
    const message = `The computer "${record.name}" is not running or stopped, but ${record.status}; start it first.`;
    throw new ApiError('conflict', message);
  }

  #cannotFork(engine: string): ApiError {
    const able = [...this.#machines.engines()].filter(canFork).map(({ name }) => name);
    const others = able.length > 0 ? `; those on ${able.join(', ')} can be` : '';
    return new ApiError('unsupported', `Computers on "${engine}" cannot be copied${others}.`);
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
    await this.#within(ready);
    return this.view(id);
  }

  /** Waits for it, at most as long as a request does. */
  async #within(settled: Promise<void>): Promise<void> {
    const timer = new AbortController();
    try {
      await Promise.race([settled, sleep(ANSWER_AFTER_MS, timer.signal)]);
    } finally {
      timer.abort();
    }
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

  #refuseName(project: Pick<ProjectRow, 'id' | 'name'>, name: string): void {
    if (!this.#store.computers.findByName(project.id, name)) return;
    const message = `The project "${project.name}" has a computer named "${name}" already.`;
    throw new ApiError('name_taken', message);
  }

  #refuseOverLimit(ownerId: string): void {
    const { running, max_running } = this.usage(ownerId);
    if (running < max_running) return;
    const message = `${max_running} computers run already, which is the limit; stop or delete one first.`;
    throw new ApiError('limit_reached', message);
  }

  #refuseDeleting(record: ComputerRecord): ComputerRecord {
    const present = this.#byId(record.id);
    if (present && present.status !== 'deleting') return present;
    throw new ApiError('conflict', `The computer "${record.name}" is being deleted.`);
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
