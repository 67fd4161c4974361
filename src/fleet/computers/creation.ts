import { ApiError } from '../../contract/errors.js';
import type { CreateComputer } from '../../contract/resources.js';
import { isForking } from '../../engines/engine.js';
import { isReserving, type MachineIdentity } from '../../engines/pool/reserving.js';
import { generateKeyPair } from '../../shell/keys.js';
import type { Owner } from '../accounts/api-keys.js';
import { refuseImpossiblePlacement } from '../cluster/member-placement.js';
import { forkRemedy } from '../errors/fork-remedy.js';
import { missing } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import { INITIAL } from '../lifecycle/lifecycle.js';
import type { Machines } from '../lifecycle/machines.js';
import type { NewComputer } from '../store/computers.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord } from '../store/records.js';
import type { OnCreated } from './idempotency.js';
import { generateId } from './ids.js';
import { choosePlacement, refuseUnavailableGpu } from './placement.js';
import type { Quota } from './quota.js';
import { withinAnswer } from './within-answer.js';

/** The fields of a new row that the request decides; the others are generated. */
type NewShape = Omit<
  NewComputer,
  'id' | 'project_id' | 'owner_id' | 'status' | 'private_key' | 'public_key' | 'created_at'
>;

/** Inserts rows of new and copied computers. A row is the intent, which is resumed after a crash. */
export class Creation {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #quota: Quota;

  constructor(store: Store, machines: Machines, quota: Quota) {
    this.#store = store;
    this.#machines = machines;
    this.#quota = quota;
  }

  /** Inserts the row of a new computer. */
  async ofImage(
    owner: Owner,
    project: ProjectRow,
    input: CreateComputer,
    onCreated?: OnCreated,
  ): Promise<ComputerRecord> {
    this.#quota.refuseName(project, input.name);
    this.#quota.refuseOverLimit(owner.id);
    const { engine, image, os } = await choosePlacement(this.#machines, input);
    refuseUnavailableGpu(engine, input.gpu);
    await refuseImpossiblePlacement(engine, input, this.#store);
    const { resolution, member = null, group: member_group = null, ...asked } = input;
    const shape = {
      ...asked,
      ...resolution,
      image,
      os,
      protected: input.protected ? 1 : 0,
      member,
      member_group,
      engine: engine.name,
      copy_of: null,
      copy_runs: 1,
      created_by: owner.keyId,
    };
    if (!isReserving(engine)) return this.#insert(owner, project, shape, onCreated);
    const { ram, cpu, gpu, width, height } = shape;
    const identity = await engine.reserve({
      ownerId: owner.id,
      projectId: project.id,
      os,
      image,
      ram,
      cpu,
      gpu,
      resolution: { width, height },
    });
    try {
      return this.#insert(owner, project, shape, onCreated, identity);
    } catch (error) {
      if (identity !== undefined) engine.release(identity.id);
      throw error;
    }
  }

  /** Inserts the row of a copy in the same project, once no step runs on the original. */
  async ofComputer(
    owner: Owner,
    id: string,
    name: string,
    onCreated?: OnCreated,
  ): Promise<ComputerRecord> {
    const source = await this.#still(id);
    const project = this.#store.projects.findOfOwner(owner.id, source.project_id);
    if (project === undefined)
      throw new ApiError(
        'not_found',
        `The project "${source.project_name}" was deleted meanwhile.`,
        { remedy: 'See: vc project ls' },
      );
    const isOffered = isForking(this.#machines.offeredEngine(source.engine));
    if (!isOffered || !(await this.#machines.of(source).session.describe()).canFork) {
      const message = `Computers on the engine "${source.engine}" cannot be copied.`;
      const remedy = await forkRemedy(this.#machines.offered, source);
      throw new ApiError('unsupported', message, { remedy });
    }
    const copy_runs = source.status === 'running' ? 1 : 0;
    const copied = { ...source, name, protected: 0, copy_of: source.id, copy_runs };
    return this.#insert(owner, project, copied, onCreated);
  }

  #insert(
    owner: Owner,
    project: ProjectRow,
    input: NewShape,
    onCreated: OnCreated = () => {},
    identity: MachineIdentity = { id: generateId('cmp'), ...generateKeyPair() },
  ): ComputerRecord {
    const { id } = identity;
    // Checked again inside the transaction.
    return this.#store.transaction(() => {
      if (this.#store.projects.findOfOwner(owner.id, project.id)?.deleting !== 0) {
        throw missing('project', project.name, { list: 'vc project ls' });
      }
      this.#quota.refuseName(project, input.name);
      this.#quota.refuseManyComputers(owner.id);
      if (input.copy_runs === 1) this.#quota.refuseOverLimit(owner.id);
      this.#store.computers.insert({
        ...input,
        id,
        project_id: project.id,
        owner_id: owner.id,
        status: INITIAL,
        private_key: identity.privateKey,
        public_key: identity.publicKey,
        created_at: new Date().toISOString(),
        created_by: owner.keyId,
      });
      onCreated(id);
      this.#store.projects.touch(project.id);
      const record = this.#store.computers.findById(id);
      if (record === undefined) throw new Error(`the row of ${id} was not written`);
      return record;
    });
  }

  /** The computer once no step runs on it. Only a running or stopped one can be copied. */
  async #still(id: string): Promise<ComputerRecord> {
    let record = this.#store.computers.findById(id);
    if (record?.status === 'starting' || record?.status === 'stopping') {
      await withinAnswer(this.#machines.of(record).settled());
      record = this.#store.computers.findById(id);
    }
    if (record === undefined)
      throw new ApiError('not_found', 'The computer was deleted meanwhile.', {
        remedy: 'See: vc ls --all',
      });
    if (record.status === 'running' || record.status === 'stopped') return record;
    const { name, status } = record;
    const quoted = JSON.stringify(name);
    if (status === 'deleting')
      throw new ApiError('conflict', `The computer ${quoted} is being deleted.`);
    const message = `The computer ${quoted} is neither running nor stopped: its status is ${status}.`;
    const remedy = `Start it first: vc start ${inCommands(record)}`;
    throw new ApiError('conflict', message, { remedy });
  }
}
