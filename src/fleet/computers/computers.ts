import {
  environmentLength,
  MAX_ENVIRONMENT,
  MAX_VARIABLES,
  tooMuchEnvironment,
} from '../../contract/environment.js';
import { ApiError } from '../../contract/errors.js';
import type {
  Computer,
  ComputerPage,
  ComputerSettings,
  ComputerStatus,
  ComputersFilter,
  ComputersQuery,
  Control,
  Me,
  NetworkReport,
  UpdateComputer,
} from '../../contract/resources.js';
import { type Engine, isRestricting } from '../../engines/engine.js';
import type { Owner } from '../accounts/api-keys.js';
import { isWithin } from '../accounts/scope.js';
import type { Budgets } from '../consumption/budgets.js';
import { MOST_NAMES, missing, suggestion } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import type { Machines } from '../lifecycle/machines.js';
import { Superseded } from '../lifecycle/steps.js';
import { SetupFailed } from '../setup/setup-failed.js';
import type { Snapshots } from '../snapshots/snapshots.js';
import type { ListFilter } from '../store/computers.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord } from '../store/records.js';
import { isCounted } from '../store/records.js';
import { Creation, type CreationParts } from './creation.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { OnCreated } from './idempotency.js';
import { refuseNetwork, reportNetwork } from './networks.js';
import type { Quota } from './quota.js';
import { serializeComputer } from './serializers.js';
import { changedSettings, changedSize } from './settings.js';
import { withinAnswer } from './within-answer.js';

/** Computers in one list without pages. */
const MOST_LISTED = 2_000;

/** Whether to answer when the computer is ready, or at once. */
export type Waiting = 'ready' | 'no';

export interface ComputersParts extends CreationParts {
  readonly budgets: Budgets;
  /** Who has control of a computer. */
  controlOf(id: string): Control | null;
}

/** Computers and their lifecycle: limits, names, intents. */
export class Computers {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #quota: Quota;
  readonly #creation: Creation;
  readonly #budgets: Budgets;

  readonly #snapshots: Snapshots;
  readonly #controlOf: ComputersParts['controlOf'];

  constructor(parts: ComputersParts) {
    this.#controlOf = parts.controlOf;
    this.#store = parts.store;
    this.#machines = parts.machines;
    this.#quota = parts.quota;
    this.#budgets = parts.budgets;
    this.#snapshots = parts.snapshots;
    this.#creation = new Creation(parts);
  }

  /** Creates a computer and starts it; with `wait` answers when it is ready. */
  async create(
    owner: Owner,
    project: ProjectRow,
    input: ComputerSettings,
    wait: Waiting,
    onCreated?: OnCreated,
  ): Promise<Computer> {
    this.#budgets.refuse(owner.keyId, 'computers');
    const created = (id: string) => {
      this.#budgets.created(owner.keyId, 1);
      onCreated?.(id);
    };
    return this.#begin(await this.#creation.ofImage(owner, project, input, created), wait);
  }

  /**
   * Copies a computer in its project, or a snapshot of it: a running one with its memory or its disk, and
   * the copies run; a stopped one with its disk, so the copies are stopped. With `wait` answers when all
   * are ready; if one fails until then, all are removed.
   */
  async fork(
    owner: Owner,
    record: ComputerRecord,
    {
      names,
      snapshot,
    }: { readonly names: readonly string[]; readonly snapshot?: string | undefined },
    wait: Waiting,
    onCreated?: (ids: readonly string[]) => void,
  ): Promise<Computer[]> {
    this.#budgets.refuse(owner.keyId, 'computers', names.length);
    const created = (ids: readonly string[]) => {
      this.#budgets.created(owner.keyId, ids.length);
      onCreated?.(ids);
    };
    const copies = await this.#creation.ofSaved(owner, record, names, snapshot, created);
    const { session } = this.#machines.of(record);
    for (const copy of copies) this.#machines.of(copy).session.copied(session);
    const ready = await Promise.allSettled(copies.map((copy) => this.#begin(copy, wait)));
    const failures = ready.flatMap((result, at) =>
      result.status === 'rejected' ? [{ copy: copies[at], reason: result.reason }] : [],
    );
    const [failure] = failures.filter(({ reason }) => !(reason instanceof Superseded));
    if (failure !== undefined) {
      await Promise.all(copies.map(({ id }) => this.#discard(id)));
      throw copies.length > 1
        ? failureOf(failure.copy?.name ?? '', failure.reason)
        : failure.reason;
    }
    if (failures[0] !== undefined) throw failures[0].reason;
    return copies.map(({ id }) => this.view(id));
  }

  /** Puts a computer back to a snapshot, or to its state after its creation. */
  async reset(
    record: ComputerRecord,
    snapshot: string | undefined,
    wait: Waiting = 'ready',
    stillAllowed = always,
  ): Promise<Computer> {
    const { done } = await this.#snapshots.reset(record, snapshot, stillAllowed);
    return this.#answer(record.id, done, wait);
  }

  /** The answer about a computer that was created, when it is ready; undefined if it is gone. */
  resume(owner: Owner, id: string): Promise<Computer> | undefined {
    const record = this.#byId(id);
    if (record?.owner_id !== owner.id || record.status === 'deleting') return undefined;
    if (!isWithin(owner, record.project_id)) return undefined;
    if (record.status !== 'starting') return Promise.resolve(this.view(id));
    return this.#answer(id, this.#machines.of(record).start());
  }

  /** The same of several copies; undefined if one of them is gone. */
  resumeAll(
    owner: Owner,
    ids: readonly string[],
  ): Promise<{ readonly computers: Computer[] }> | undefined {
    const answers = ids.flatMap((id) => this.resume(owner, id) ?? []);
    if (answers.length < ids.length) return undefined;
    return Promise.all(answers).then((computers) => ({ computers }));
  }

  /** Starts the new computer. If that fails while the request waits, the computer is removed. */
  async #begin(record: ComputerRecord, wait: Waiting): Promise<Computer> {
    const started = this.#machines.of(record).start();
    if (wait === 'no') return this.view(record.id);
    try {
      return await this.#answer(record.id, started);
    } catch (error) {
      // It is kept, so that its owner can find out what failed.
      if (error instanceof SetupFailed) return this.view(record.id);
      // A stop or restart in the meantime is not a failed creation.
      if (!(error instanceof Superseded)) await this.#discard(record.id);
      throw error;
    }
  }

  /** Number of the owner's running computers, and the limit. */
  usage(ownerId: string): Pick<Me, 'running' | 'max_running'> {
    return this.#quota.usage(ownerId);
  }

  /** What the owner's snapshots, images and volumes take in bytes, and the limit in GB. */
  storage(ownerId: string): ReturnType<Quota['storage']> {
    return this.#quota.storage(ownerId);
  }

  /** Status and engine of every computer of all owners. */
  statuses(): Pick<ComputerRecord, 'status' | 'engine'>[] {
    return this.#store.computers.listAll();
  }

  /** The computers of a project, the oldest first. */
  list({ id, owner_id }: ProjectRow, filter: ComputersFilter = {}): Computer[] {
    const range = { ...listFilter(filter), project: id };
    return this.#store.computers
      .listAfter(owner_id, decodeCursor(undefined), range)
      .map((record) => this.#view(record));
  }

  /** A page of the owner's computers, the oldest first. */
  page(
    owner: Pick<Owner, 'id' | 'projectId'>,
    { limit, cursor, ...filter }: ComputersQuery,
  ): ComputerPage {
    const range = { ...listFilter(filter), limit: limit + 1, project: owner.projectId };
    const found = this.#store.computers.listAfter(owner.id, decodeCursor(cursor), range);
    const records = found.slice(0, limit);
    const last = found.length > limit ? records.at(-1) : undefined;
    return {
      computers: records.map((record) => this.#view(record)),
      next_cursor: last === undefined ? null : encodeCursor(last),
    };
  }

  /** The owner's computers that the key may see, the oldest first. */
  records(owner: Pick<Owner, 'id' | 'projectId'>): ComputerRecord[] {
    const range = { limit: MOST_LISTED, project: owner.projectId };
    return this.#store.computers.listAfter(owner.id, decodeCursor(undefined), range);
  }

  /** The current state; undefined for one that was deleted. */
  present(id: string): Computer | undefined {
    const record = this.#byId(id);
    return record && this.#view(record);
  }

  /**
   * By id, or by project and name. Another owner's computer, or one of a project that the key is not
   * for, is reported as missing.
   */
  find(
    owner: Pick<Owner, 'id' | 'projectId'>,
    address: { id: string } | { project: string; name: string },
  ): ComputerRecord {
    const { computers } = this.#store;
    const record =
      'id' in address
        ? computers.findById(address.id)
        : computers.findByAddress(owner.id, address.project, address.name);
    if (record?.owner_id === owner.id && isWithin(owner, record.project_id)) return record;
    throw this.#missing(owner, address);
  }

  /** The state of a computer that was just looked up. */
  describe(record: ComputerRecord): Computer {
    return this.#view(record);
  }

  /** The current state. */
  view(id: string): Computer {
    const record = this.#byId(id);
    if (record) return this.#view(record);
    throw new ApiError('not_found', `The computer "${id}" was deleted meanwhile.`, {
      remedy: 'See: vc ls --all',
    });
  }

  /** `stillAllowed` throws when its caller may not do this any more: it may have waited for a stop. */
  async start(
    record: ComputerRecord,
    wait: Waiting = 'ready',
    stillAllowed = always,
  ): Promise<Computer> {
    await this.#afterStopping(record);
    stillAllowed();
    if (this.#intend(record, 'start') === 'running') return this.view(record.id);
    return this.#answer(record.id, this.#machines.of(record).start(), wait);
  }

  /** `by`: whom its `status_reason` names. */
  async stop(record: ComputerRecord, by?: Owner): Promise<Computer> {
    const { status } = this.#refuseDeleting(record);
    if (status !== 'stopped') await this.#machines.of(record).stop(by && this.#stoppedBy(by));
    return this.view(record.id);
  }

  /** As {@link start}. */
  async restart(
    record: ComputerRecord,
    wait: Waiting = 'ready',
    stillAllowed = always,
  ): Promise<Computer> {
    await this.#afterStopping(record);
    stillAllowed();
    this.#intend(record, 'restart');
    return this.#answer(record.id, this.#machines.of(record).restart(), wait);
  }

  /** Stops it if it runs and removes it with all its data; idempotent. */
  async remove(record: ComputerRecord): Promise<void> {
    this.refuseProtected(record);
    if (this.#byId(record.id)) await this.#machines.of(record).remove();
  }

  /** Changes the given fields; works while the computer runs. */
  async update(record: ComputerRecord, input: UpdateComputer): Promise<Computer> {
    const engine = this.#machines.engine(record.engine);
    if (input.network !== undefined) await refuseNetwork(engine, input.network);
    const before = this.#store.transaction(() => {
      const present = this.#refuseDeleting(record);
      const name = input.name ?? present.name;
      if (name !== present.name) {
        this.#quota.refuseName({ id: present.project_id, name: present.project_name }, name);
      }
      this.#store.computers.update({
        id: present.id,
        name,
        ...changedSettings(present, input),
        ...changedSize(present, input),
        env: input.env === undefined ? present.env : this.#changedEnv(present, input.env),
        network: input.network === undefined ? present.network : JSON.stringify(input.network),
      });
      return present;
    });
    this.#machines.relabel(record);
    if (input.network !== undefined) {
      await this.#applyNetwork(engine, before, JSON.stringify(input.network));
    }
    return this.view(record.id);
  }

  /** Gives a running machine those pending changes that need no restart. */
  async resize(record: ComputerRecord, signal: AbortSignal): Promise<Computer> {
    await this.#machines.of(record).resize(signal);
    return this.view(record.id);
  }

  network(record: ComputerRecord, signal: AbortSignal): Promise<NetworkReport> {
    return reportNetwork(this.#machines.engine(record.engine), record, signal);
  }

  /** If the machine cannot be changed, both get the earlier network, unless another request has set one. */
  async #applyNetwork(engine: Engine, { id, network }: ComputerRecord, set: string): Promise<void> {
    if (!isRestricting(engine)) return;
    try {
      await engine.applyNetwork(id);
    } catch (error) {
      if (this.#byId(id)?.network === set) this.#store.computers.setNetwork(id, network);
      await engine.applyNetwork(id).catch(() => undefined);
      throw error;
    }
  }

  /** The project has a new name. */
  projectRenamed(projectId: string): void {
    for (const record of this.#store.computers.listOfProject(projectId)) {
      this.#machines.relabel(record);
    }
  }

  refuseProtected(record: ComputerRecord): void {
    if (this.#byId(record.id)?.protected !== 1) return;
    throw new ApiError('conflict', `The computer ${JSON.stringify(record.name)} is protected.`, {
      remedy: `Remove the protection: vc computer update ${inCommands(record)} --unprotect`,
    });
  }

  /** The variables of the row with changes. */
  #changedEnv(present: ComputerRecord, changes: NonNullable<UpdateComputer['env']>) {
    const { setups } = this.#store;
    const merged = Object.entries({ ...setups.env(present), ...changes });
    const env = Object.fromEntries(
      merged.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    );
    if (Object.keys(env).length > MAX_VARIABLES) {
      const message = `env: with these changes there would be more than ${MAX_VARIABLES} variables.`;
      throw new ApiError('invalid_request', message);
    }
    if (environmentLength(env) > MAX_ENVIRONMENT) {
      const message = `env: with these changes it ${tooMuchEnvironment}.`;
      throw new ApiError('invalid_request', message);
    }
    return setups.sealEnv(present.owner_id, env);
  }

  /** Records that it should run, if the limit allows it, and returns the new status. */
  #intend(record: ComputerRecord, ask: 'start' | 'restart'): ComputerStatus {
    return this.#store.transaction(() => {
      if (!isCounted(this.#refuseDeleting(record))) {
        this.#quota.refuseOverLimit(record.owner_id, record.created_by);
        this.#store.computers.meanToRun(record.id);
      }
      this.#store.computers.change(record.id, ask);
      return this.#refuseDeleting(record).status;
    });
  }

  /** Removes a computer whose creation failed. The reconciler retries a removal that fails. */
  async #discard(id: string): Promise<void> {
    const record = this.#byId(id);
    if (record === undefined) return;
    const { created_by: keyId } = record;
    // Even if protected: its creation was never answered.
    const removal = this.#machines.of(record).remove();
    if (keyId !== null) this.#store.writeToFreeSpace(() => this.#budgets.notCreated(keyId));
    await removal.catch(() => undefined);
  }

  async #answer(id: string, ready: Promise<void>, wait: Waiting = 'ready'): Promise<Computer> {
    if (wait === 'no') return this.view(id);
    await withinAnswer(ready);
    return this.view(id);
  }

  /** Waits for a stop, or for a copy that is to be stopped; also if one follows the other. */
  async #afterStopping(record: ComputerRecord): Promise<void> {
    while (this.#endsStopped(record)) await this.#machines.of(record).settled();
  }

  /** Whether a step runs after which the computer is stopped. */
  #endsStopped({ id }: ComputerRecord): boolean {
    const present = this.#byId(id);
    if (present === undefined || !this.#machines.of(present).busy) return false;
    const { status } = present;
    return status === 'stopping' || (status === 'starting' && !isCounted(present));
  }

  /** The `status_reason` of what a request stopped. */
  #stoppedBy({ keyId, sessionId }: Owner): string {
    const name = this.#store.keys.find(keyId)?.name ?? keyId;
    return `Key ${JSON.stringify(name)} stopped it${sessionId === undefined ? '' : ' on the page'}.`;
  }

  #refuseDeleting(record: ComputerRecord): ComputerRecord {
    const present = this.#byId(record.id);
    if (present && present.status !== 'deleting') return present;
    throw new ApiError('conflict', `The computer ${JSON.stringify(record.name)} is being deleted.`);
  }

  /** Suggests names of this owner only: another owner's computer must look like a missing one. */
  #missing(
    owner: Pick<Owner, 'id' | 'projectId'>,
    address: { id: string } | { project: string; name: string },
  ): ApiError {
    if ('id' in address) return missing('computer', address.id, { list: 'vc ls --all' });
    const text = `${address.project}/${address.name}`;
    const project = this.#store.projects.find(owner.id, address.project);
    if (project === undefined || !isWithin(owner, project.id)) {
      const names = this.#store.projects.names(owner.id, owner.projectId, MOST_NAMES);
      const known = names.map((name) => `${name}/${address.name}`);
      return missing('computer', text, { known, list: 'vc project ls' });
    }
    const known = this.#store.computers.listOfProject(project.id).map(({ name }) => name);
    const list = `vc ls -p ${project.name}`;
    const remedy = suggestion(address.name, known, list);
    return new ApiError('not_found', `There is no computer ${JSON.stringify(text)}.`, { remedy });
  }

  #byId(id: string): ComputerRecord | undefined {
    return this.#store.computers.findById(id);
  }

  #view(record: ComputerRecord): Computer {
    const isolation = this.#machines.isolation(record);
    return Object.assign(serializeComputer(record, isolation), {
      env_names: this.#store.setups.envNames(record),
      control: this.#controlOf(record.id),
    });
  }
}

function listFilter({ status, label, engine, image }: ComputersFilter): ListFilter {
  const labels = label?.map((text) => {
    const [name = '', value = null] = text.split('=');
    return [name, value] as const;
  });
  return { statuses: status, labels, engine, image };
}

/** The error of one copy of several. */
function failureOf(name: string, cause: unknown): unknown {
  if (!(cause instanceof ApiError)) return cause;
  const { code, remedy, message } = cause;
  const quoted = JSON.stringify(name);
  const text = `The copy ${quoted} failed, so none was made: ${message}`;
  return new ApiError(code, text, { cause, ...(remedy !== undefined && { remedy }) });
}

function always(): void {}
