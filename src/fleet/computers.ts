import { ApiError } from '../contract/errors.js';
import type { Computer, CreateComputer } from '../contract/resources.js';
import { generateKeyPair } from '../shell/index.js';
import type { Owner } from './access.js';
import { chooseImage, refuseUnavailableGpu } from './choice.js';
import { generateId } from './ids.js';
import { Superseded } from './machine.js';
import type { Machines } from './machines.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';
import type { ComputerRecord } from './store/records.js';
import { OCCUPYING } from './store/records.js';
import { sleep } from './time.js';
import { computerView } from './views.js';

/** A request waits so long for a computer to become ready, then answers with how far it is. */
const ANSWER_AFTER_MS = 60_000;

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
    wait: 'ready' | 'no',
  ): Promise<Computer> {
    const engine = this.#machines.engine(input.engine ?? this.#machines.preferredEngine);
    refuseUnavailableGpu(engine, input.gpu);
    this.#refuseName(project, input.name);
    this.#refuseOverLimit(owner.id);
    const image = await chooseImage(engine, input.os, input.image);
    const record = this.#insert(owner, project, { ...input, image, engine: engine.name });
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

  list(projectId: string): Computer[] {
    return this.#store.computers.listOfProject(projectId).map((record) => this.#view(record));
  }

  /** By id, or by project and name. Somebody else's answers as if it did not exist. */
  find(owner: Owner, address: { id: string } | { project: string; name: string }): ComputerRecord {
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

  async start(record: ComputerRecord): Promise<Computer> {
    await this.#afterStopping(record);
    const machine = this.#machines.of(record);
    this.#store.transaction(() => {
      const { status } = this.#refuseDeleting(record);
      if (status === 'running' || status === 'starting') return;
      this.#refuseOverLimit(record.owner_id);
      this.#store.computers.setStatus(record.id, 'starting');
    });
    if (this.view(record.id).status === 'running') return this.view(record.id);
    return this.#answer(record.id, machine.start());
  }

  async stop(record: ComputerRecord): Promise<Computer> {
    const { status } = this.#refuseDeleting(record);
    if (status !== 'stopped') await this.#machines.of(record).stop();
    return this.view(record.id);
  }

  async restart(record: ComputerRecord): Promise<Computer> {
    await this.#afterStopping(record);
    this.#store.transaction(() => {
      const { status } = this.#refuseDeleting(record);
      if (!OCCUPYING.includes(status)) this.#refuseOverLimit(record.owner_id);
      this.#store.computers.setStatus(record.id, 'starting');
    });
    return this.#answer(record.id, this.#machines.of(record).restart());
  }

  /** Stops it if it runs and removes it with all its data; idempotent. */
  async remove(record: ComputerRecord): Promise<void> {
    if (this.#byId(record.id)) await this.#machines.of(record).remove();
  }

  #insert(
    owner: Owner,
    project: ProjectRow,
    input: CreateComputer & { image: string; engine: string },
  ): ComputerRecord {
    const id = generateId('cmp');
    const keys = generateKeyPair();
    // Checked again where nothing can come in between.
    return this.#store.transaction(() => {
      if (this.#store.projects.find(owner.id, project.id)?.deleting !== 0) {
        throw new ApiError('not_found', `There is no project "${project.name}".`);
      }
      this.#refuseName(project, input.name);
      this.#refuseOverLimit(owner.id);
      this.#store.computers.insert({
        id,
        project_id: project.id,
        owner_id: owner.id,
        name: input.name,
        os: input.os,
        ram: input.ram,
        cpu: input.cpu,
        gpu: input.gpu,
        image: input.image,
        engine: input.engine,
        width: input.resolution.width,
        height: input.resolution.height,
        auto_stop_minutes: input.auto_stop_minutes,
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

  /** A creation that failed leaves nothing; what cannot be removed now is removed later. */
  async #discard(id: string): Promise<void> {
    const record = this.#byId(id);
    if (record) await this.remove(record).catch(() => undefined);
  }

  async #answer(id: string, ready: Promise<void>): Promise<Computer> {
    const timer = new AbortController();
    try {
      await Promise.race([ready, sleep(ANSWER_AFTER_MS, timer.signal)]);
    } finally {
      timer.abort();
    }
    return this.view(id);
  }

  async #afterStopping(record: ComputerRecord): Promise<void> {
    if (this.#byId(record.id)?.status === 'stopping') await this.#machines.of(record).settled();
  }

  #refuseName(project: ProjectRow, name: string): void {
    if (!this.#store.computers.findByName(project.id, name)) return;
    const message = `The project "${project.name}" has a computer named "${name}" already.`;
    throw new ApiError('name_taken', message);
  }

  #refuseOverLimit(ownerId: string): void {
    const limit = this.#store.owners.findOwner(ownerId)?.max_running ?? this.#maxRunning;
    if (this.#store.computers.countRunning(ownerId) < limit) return;
    const message = `${limit} computers run already, which is the limit; stop or delete one first.`;
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

  #byName(owner: Owner, address: { project: string; name: string }): ComputerRecord | undefined {
    const project = this.#store.projects.find(owner.id, address.project);
    return project && this.#store.computers.findByName(project.id, address.name);
  }

  #view(record: ComputerRecord): Computer {
    return computerView(record, this.#machines.engine(record.engine).features.isolation);
  }
}
