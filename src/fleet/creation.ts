import { ApiError } from '../contract/errors.js';
import type { CreateComputer } from '../contract/resources.js';
import { canFork } from '../engines/engine.js';
import { generateKeyPair } from '../shell/index.js';
import type { Owner } from './access.js';
import type { Admission } from './admission.js';
import { choosePlace, refuseUnavailableGpu } from './choice.js';
import { generateId } from './ids.js';
import { INITIAL } from './lifecycle.js';
import type { Machines } from './machines.js';
import type { NewComputer } from './store/computers.js';
import type { Store } from './store/index.js';
import type { ProjectRow } from './store/projects.js';
import type { ComputerRecord } from './store/records.js';
import { withinAnswer } from './time.js';

/** What a request decides of a new row; the rest is generated. */
type NewShape = Omit<
  NewComputer,
  'id' | 'project_id' | 'owner_id' | 'status' | 'private_key' | 'public_key' | 'created_at'
>;

/** New computers, made or copied. Their rows are their intent: what a crash leaves is gone on with. */
export class Creation {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #admission: Admission;

  constructor(store: Store, machines: Machines, admission: Admission) {
    this.#store = store;
    this.#machines = machines;
    this.#admission = admission;
  }

  /** The row of a computer that is to be made. */
  async ofImage(owner: Owner, project: ProjectRow, input: CreateComputer): Promise<ComputerRecord> {
    this.#admission.refuseName(project, input.name);
    this.#admission.refuseOverLimit(owner.id);
    const { engine, image, os } = await choosePlace(this.#machines, input);
    refuseUnavailableGpu(engine, input.gpu);
    const { resolution, ...asked } = input;
    return this.#insert(owner, project, {
      ...{ ...asked, ...resolution, image, os, protected: input.protected ? 1 : 0 },
      ...{ engine: engine.name, copy_of: null, copy_runs: 1 },
    });
  }

  /** The row of a computer that is to be copied in its project, once no step runs on the original. */
  async ofComputer(owner: Owner, id: string, name: string): Promise<ComputerRecord> {
    const source = await this.#still(id);
    const project = this.#store.projects.find(owner.id, source.project_id);
    if (project === undefined)
      throw new ApiError('not_found', 'Its project was deleted meanwhile.');
    if (!canFork(this.#machines.offeredEngine(source.engine)))
      throw this.#cannotFork(source.engine);
    const copy_runs = source.status === 'running' ? 1 : 0;
    const copied = { ...source, name, protected: 0, copy_of: source.id, copy_runs };
    return this.#insert(owner, project, copied);
  }

  #insert(owner: Owner, project: ProjectRow, input: NewShape): ComputerRecord {
    const id = generateId('cmp');
    const keys = generateKeyPair();
    // Checked again where nothing can come in between.
    return this.#store.transaction(() => {
      if (this.#store.projects.find(owner.id, project.id)?.deleting !== 0) {
        throw new ApiError('not_found', `There is no project "${project.name}".`);
      }
      this.#admission.refuseName(project, input.name);
      if (input.copy_runs === 1) this.#admission.refuseOverLimit(owner.id);
      this.#store.computers.insert({
        ...input,
        id,
        project_id: project.id,
        owner_id: owner.id,
        status: INITIAL,
        private_key: keys.privateKey,
        public_key: keys.publicKey,
        created_at: new Date().toISOString(),
      });
      this.#store.projects.touch(project.id);
      const record = this.#store.computers.findById(id);
      if (record === undefined) throw new Error(`the row of ${id} was not written`);
      return record;
    });
  }

  /** The computer once no step runs on it; only what runs or is stopped can be copied. */
  async #still(id: string): Promise<ComputerRecord> {
    let record = this.#store.computers.findById(id);
    if (record?.status === 'starting' || record?.status === 'stopping') {
      await withinAnswer(this.#machines.of(record).settled());
      record = this.#store.computers.findById(id);
    }
    if (record === undefined) throw new ApiError('not_found', 'It was deleted meanwhile.');
    if (record.status === 'running' || record.status === 'stopped') return record;
    const { name, status } = record;
    const message =
      status === 'deleting'
        ? `The computer ${JSON.stringify(name)} is being deleted.`
        : `The computer ${JSON.stringify(name)} is not running or stopped, but ${status}; start it first.`;
    throw new ApiError('conflict', message);
  }

  #cannotFork(engine: string): ApiError {
    const able = [...this.#machines.engines()].filter(canFork).map(({ name }) => name);
    const others = able.length > 0 ? `; those on ${able.join(', ')} can be` : '';
    return new ApiError('unsupported', `Computers on "${engine}" cannot be copied${others}.`);
  }
}
