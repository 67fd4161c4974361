import { ApiError } from '../../contract/errors.js';
import type { ComputerSettings } from '../../contract/resources.js';
import { isReserving, type MachineIdentity } from '../../engines/pool/reserving.js';
import { generateKeyPair } from '../../shell/keys.js';
import type { Owner } from '../accounts/api-keys.js';
import { refuseImpossiblePlacement } from '../cluster/member-placement.js';
import { missing } from '../errors/missing.js';
import { INITIAL } from '../lifecycle/lifecycle.js';
import { diskSource } from '../lifecycle/machine-spec.js';
import type { Machines } from '../lifecycle/machines.js';
import type { SavedDisks } from '../snapshots/saved-disks.js';
import type { Snapshots } from '../snapshots/snapshots.js';
import type { NewComputer } from '../store/computers.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord, SavedDiskRecord } from '../store/records.js';
import type { Setup } from '../store/setups.js';
import type { Volumes } from '../volumes/volumes.js';
import type { OnCreated } from './idempotency.js';
import { generateId } from './ids.js';
import { refuseNetwork } from './networks.js';
import { choosePlacement, refuseUnavailableGpu } from './placement.js';
import type { Quota } from './quota.js';
import { newSettings } from './settings.js';
import { refuseDeleted, refuseUnsettled, settled } from './settled.js';

/** The fields of a new row that the request decides; the others are generated. */
type NewShape = Omit<
  NewComputer,
  'id' | 'project_id' | 'owner_id' | 'status' | 'private_key' | 'public_key' | 'created_at'
> & {
  /** What is done once. */
  readonly setup?: Setup;
};

export interface CreationParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly quota: Quota;
  readonly disks: SavedDisks;
  readonly snapshots: Snapshots;
  readonly volumes: Volumes;
}

/** Inserts rows of new and copied computers. A row is the intent, which is resumed after a crash. */
export class Creation {
  readonly #store: Store;
  readonly #machines: Machines;
  readonly #quota: Quota;

  readonly #disks: SavedDisks;
  readonly #snapshots: Snapshots;
  readonly #volumes: Volumes;

  constructor({ store, machines, quota, disks, snapshots, volumes }: CreationParts) {
    this.#store = store;
    this.#machines = machines;
    this.#quota = quota;
    this.#disks = disks;
    this.#snapshots = snapshots;
    this.#volumes = volumes;
  }

  /** Inserts the row of a new computer; `disk` is in place of the image, whose name it has. */
  async ofImage(
    owner: Owner,
    project: ProjectRow,
    input: ComputerSettings,
    onCreated?: OnCreated,
    disk?: SavedDiskRecord,
  ): Promise<ComputerRecord> {
    const settings = newSettings(input);
    this.#quota.refuseName(project, input.name);
    this.#quota.refuseOverLimit(owner.id, owner.keyId);
    const images = input.image === undefined ? [] : this.#store.savedDisks.images(owner.id);
    const own = disk ?? images.find(({ name }) => name === input.image);
    const { volumes = [] } = input;
    const placed = {
      ...input,
      engine: input.engine ?? this.#volumes.engineOf(owner.id, volumes),
      own: images.flatMap(({ name }) => name ?? []),
    };
    const { engine, image, os, source } = await choosePlacement(this.#machines, placed, own);
    refuseUnavailableGpu(engine, input.gpu);
    const { resolution, group: member_group = null, env, ...rest } = input;
    const { files = [], setup: script, sudo = true, network = 'internet', ...asked } = rest;
    await refuseNetwork(engine, network);
    const mounts = this.#volumes.mounts(owner.id, engine, volumes);
    const member = this.#volumes.memberOf(mounts, input) ?? input.member;
    await refuseImpossiblePlacement(engine, { ...input, member }, this.#store);
    const shape = {
      ...asked,
      ...resolution,
      ...settings,
      image,
      os,
      env: this.#store.setups.sealEnv(owner.id, env ?? {}),
      sudo: sudo ? 1 : 0,
      network: JSON.stringify(network),
      volumes: JSON.stringify(mounts),
      ...(files.length > 0 || script !== undefined ? { setup: { files, script } } : {}),
      member: member ?? null,
      member_group,
      engine: engine.name,
      copy_runs: 1,
      source: source ?? null,
      created_by: owner.keyId,
    };
    // A machine that is ready cannot mount more.
    if (!isReserving(engine) || mounts.length > 0)
      return this.#insertOne(owner, project, shape, onCreated);
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
      from: diskSource(shape.source),
      sudo,
    });
    try {
      return this.#insertOne(owner, project, shape, onCreated, identity);
    } catch (error) {
      if (identity !== undefined) engine.release(identity.id);
      throw error;
    }
  }

  /**
   * Inserts the rows of copies in the same project, made from a snapshot of the original, or from a disk
   * that is saved for them. Copies of a snapshot run, as those of a running computer.
   */
  async ofSaved(
    owner: Owner,
    record: ComputerRecord,
    names: readonly string[],
    snapshot: string | undefined,
    onCreated?: (ids: readonly string[]) => void,
  ): Promise<ComputerRecord[]> {
    this.#machines.offeredEngine(record.engine);
    this.#disks.engineOf(record);
    const of = snapshot === undefined ? undefined : this.#snapshots.find(record, snapshot);
    const runs = (source: ComputerRecord) => of !== undefined || source.status === 'running';
    const insert = (source: ComputerRecord, disk: SavedDiskRecord) => {
      const copy_runs = runs(source) ? 1 : 0;
      const copied = { ...source, protected: 0, copy_runs, source: disk.id };
      const shapes = names.map((name) => ({ ...copied, name }));
      const copies = this.#insert(owner, this.#projectOf(owner, source), shapes);
      onCreated?.(copies.map(({ id }) => id));
      return copies;
    };
    if (of !== undefined) {
      const source = refuseDeleted(this.#store.computers.findById(record.id));
      return this.#store.transaction(() => insert(source, of));
    }
    const source = refuseUnsettled(await settled(this.#store, this.#machines, record.id));
    // Before its disk is saved, which takes time.
    this.#refuseMore(owner, this.#projectOf(owner, source), names, runs(source));
    const wanted = { kind: 'snapshot', memory: true, name: () => undefined } as const;
    return this.#disks.save(source, wanted, (disk, present) => insert(present, disk));
  }

  #projectOf(owner: Owner, source: ComputerRecord): ProjectRow {
    const project = this.#store.projects.findOfOwner(owner.id, source.project_id);
    if (project !== undefined) return project;
    throw new ApiError('not_found', `The project "${source.project_name}" was deleted meanwhile.`, {
      remedy: 'See: vc project ls',
    });
  }

  #refuseMore(owner: Owner, project: ProjectRow, names: readonly string[], run: boolean): void {
    for (const name of names) this.#quota.refuseName(project, name);
    this.#quota.refuseManyComputers(owner.id, names.length);
    if (run) this.#quota.refuseOverLimit(owner.id, owner.keyId, names.length);
  }

  #insertOne(
    owner: Owner,
    project: ProjectRow,
    input: NewShape,
    onCreated: OnCreated = () => {},
    identity?: MachineIdentity,
  ): ComputerRecord {
    return this.#store.transaction(() => {
      const [record] = this.#insert(owner, project, [input], identity);
      if (record === undefined) throw new Error('the row was not written');
      onCreated(record.id);
      return record;
    });
  }

  /** Inserts rows within a transaction, in which everything is checked again. */
  #insert(
    owner: Owner,
    project: ProjectRow,
    inputs: readonly NewShape[],
    identity?: MachineIdentity,
  ): ComputerRecord[] {
    if (this.#store.projects.findOfOwner(owner.id, project.id)?.deleting !== 0) {
      throw missing('project', project.name, { list: 'vc project ls' });
    }
    const names = inputs.map(({ name }) => name);
    this.#refuseMore(owner, project, names, inputs[0]?.copy_runs === 1);
    this.#store.projects.touch(project.id);
    return inputs.map((input) => {
      this.#refuseDeletedSource(input);
      this.#volumes.refuseDeleted(input);
      const { id, privateKey, publicKey } = identity ?? {
        id: generateId('cmp'),
        ...generateKeyPair(),
      };
      this.#store.computers.insert({
        ...input,
        id,
        project_id: project.id,
        owner_id: owner.id,
        status: INITIAL,
        private_key: privateKey,
        public_key: publicKey,
        created_at: new Date().toISOString(),
        created_by: owner.keyId,
      });
      if (input.setup !== undefined) this.#store.setups.insert(id, input.setup);
      const record = this.#store.computers.findById(id);
      if (record === undefined) throw new Error(`the row of ${id} was not written`);
      return record;
    });
  }

  /** The image or snapshot may have been deleted meanwhile; what the copies of a fork share has no name. */
  #refuseDeletedSource({ source, image }: NewShape): void {
    if (!source) return;
    const disk = this.#store.savedDisks.find(source);
    if (disk !== undefined && (disk.state === 'ready' || disk.name === null)) return;
    // A step of an image build, which was an image until another one replaced it.
    if (this.#store.buildSteps.hasDisk(source)) return;
    const what = disk?.kind === 'snapshot' ? 'snapshot' : 'image';
    const name = JSON.stringify(disk?.name ?? image);
    throw new ApiError('image_missing', `The ${what} ${name} was deleted meanwhile.`, {
      remedy: 'See: vc image ls',
    });
  }
}
