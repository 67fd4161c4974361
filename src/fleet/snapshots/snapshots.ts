import { ApiError } from '../../contract/errors.js';
import type { CreateSnapshot, Snapshot } from '../../contract/resources.js';
import type { OnCreated } from '../computers/idempotency.js';
import type { Quota } from '../computers/quota.js';
import { refuseDeleted, settled } from '../computers/settled.js';
import { missing } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';
import { type ComputerRecord, isCounted, type SavedDiskRecord } from '../store/records.js';
import type { DiskToSave, SavedDisks } from './saved-disks.js';

/** Snapshots of a computer. */
const MOST = 100;

export interface SnapshotsParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly quota: Quota;
  readonly disks: SavedDisks;
}

/** Snapshots of computers: they form a tree, and a computer can be put back to each of them. */
export class Snapshots {
  readonly #parts: SnapshotsParts;
  readonly #store: Store;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /** The oldest first. */
  list({ id }: Pick<ComputerRecord, 'id'>): Snapshot[] {
    const disks = this.#store.savedDisks.snapshots(id);
    const names = new Map(disks.map((disk) => [disk.id, disk.name]));
    const current = this.#store.computers.findById(id)?.snapshot;
    return disks
      .filter(({ state }) => state === 'ready')
      .map(({ id: diskId, name, parent, created_at, bytes, memory }) => ({
        name: name ?? '',
        parent: (parent === null ? undefined : names.get(parent)) ?? null,
        created_at,
        bytes,
        memory: memory === 1,
        current: diskId === current,
      }));
  }

  /** Saves the computer as it is; a running one runs on. */
  async create(
    record: ComputerRecord,
    { name, memory }: CreateSnapshot,
    onCreated: OnCreated = () => {},
  ): Promise<Snapshot> {
    this.#parts.disks.engineOf(record);
    await settled(this.#store, this.#parts.machines, record.id);
    const wanted = memory === true ? 'required' : (memory ?? true);
    return this.#create(record, { name, memory: wanted, within: 'queue' }, onCreated);
  }

  /** The same within an action, while no other is performed. */
  createWithin(record: ComputerRecord, name: string): Promise<Snapshot> {
    return this.#create(record, { name, memory: true, within: 'action' });
  }

  /** Throws unless snapshots of the computer can be made with the names `step-N`. */
  refuseSteps(record: ComputerRecord): void {
    this.#parts.disks.engineOf(record);
    this.#parts.quota.refuseStorage(record.owner_id);
    const names = this.list(record).map(({ name }) => name);
    const taken = names.find((name) => /^step-\d+$/.test(name));
    if (taken === undefined) return;
    const message = `The computer ${JSON.stringify(record.name)} has a snapshot named ${JSON.stringify(taken)} already: those of steps need such names.`;
    const remedy = `Remove those of earlier trajectories: vc snapshot rm ${inCommands(record)} ${taken}. See: vc snapshot ls ${inCommands(record)}`;
    throw new ApiError('name_taken', message, { remedy });
  }

  async #create(
    record: ComputerRecord,
    {
      name,
      memory,
      within,
    }: Pick<CreateSnapshot, 'name'> & Required<Pick<DiskToSave, 'memory' | 'within'>>,
    onCreated: OnCreated = () => {},
  ): Promise<Snapshot> {
    const wanted = {
      kind: 'snapshot',
      memory,
      within,
      name: (present: ComputerRecord) => this.#freeName(present, name),
    } as const;
    const id = await this.#parts.disks.save(record, wanted, (disk) => {
      onCreated(disk.id);
      this.#store.computers.setSnapshot(record.id, disk.id);
      return disk.id;
    });
    return this.#view(id);
  }

  /** The answer about a snapshot that was made; undefined if it is gone. */
  resume(ownerId: string, id: string): Promise<Snapshot> | undefined {
    const disk = this.#store.savedDisks.find(id);
    if (disk?.owner_id !== ownerId || disk.state !== 'ready') return undefined;
    return Promise.resolve(this.#view(id));
  }

  async remove(record: ComputerRecord, name: string): Promise<void> {
    const { id } = this.#store.transaction(() => {
      const present = refuseDeleted(this.#store.computers.findById(record.id));
      const disk = this.find(present, name);
      if (present.reset_to === disk.id) {
        const message = `The computer is being reset to the snapshot ${JSON.stringify(name)}.`;
        throw new ApiError('conflict', message, {
          remedy: `Wait until it is done: vc get ${inCommands(present)}`,
        });
      }
      this.#store.savedDisks.retire(disk);
      if (present.snapshot === disk.id) {
        this.#store.computers.setSnapshot(present.id, disk.parent);
      }
      return disk;
    });
    const engine = this.#parts.machines.engine(record.engine);
    await this.#parts.disks.tidy(engine, (disk) => disk.id === id);
  }

  /** A complete snapshot of the computer. */
  find(record: ComputerRecord, name: string): SavedDiskRecord {
    const disks = this.#store.savedDisks.snapshots(record.id);
    const found = disks.find((disk) => disk.name === name && disk.state === 'ready');
    if (found !== undefined) return found;
    const known = disks.map((disk) => disk.name ?? '');
    throw missing('snapshot', name, { known, list: `vc snapshot ls ${inCommands(record)}` });
  }

  /**
   * Writes that the computer is to be put back to a snapshot, or to its state after its creation, and
   * begins that. One that runs, or has failed, runs afterwards. Resolves when it is ready.
   */
  async reset(
    record: ComputerRecord,
    snapshot: string | undefined,
    stillAllowed: () => void,
  ): Promise<{ readonly done: Promise<void> }> {
    this.#parts.disks.engineOf(record);
    await settled(this.#store, this.#parts.machines, record.id);
    stillAllowed();
    this.#store.transaction(() => {
      const present = refuseDeleted(this.#store.computers.findById(record.id));
      const to = snapshot === undefined ? '' : this.find(present, snapshot).id;
      if (present.status === 'error' && !isCounted(present)) {
        this.#parts.quota.refuseOverLimit(present.owner_id, present.created_by);
        this.#store.computers.meanToRun(present.id);
      }
      this.#store.computers.setReset(present.id, to);
      // A snapshot has what its setup has made.
      this.#store.setups.setNext(present.id, to === '' ? 'files' : 'nothing');
      if (this.#store.computers.change(present.id, 'reset') !== undefined) return;
      const message = `The computer ${JSON.stringify(present.name)} is ${present.status}.`;
      throw new ApiError('conflict', message, { remedy: `See: vc get ${inCommands(present)}` });
    });
    return { done: this.#parts.machines.of(record).reset() };
  }

  #freeName(present: ComputerRecord, wanted: string | undefined): string {
    const taken = new Set(this.#store.savedDisks.snapshots(present.id).map(({ name }) => name));
    const quoted = JSON.stringify(present.name);
    const list = `vc snapshot ls ${inCommands(present)}`;
    if (taken.size >= MOST) {
      const message = `The computer ${quoted} has ${MOST} snapshots, which is the limit.`;
      throw new ApiError('limit_reached', message, { remedy: `Remove one first. See: ${list}` });
    }
    if (wanted === undefined) {
      let number = 1;
      while (taken.has(`snap-${number}`)) number += 1;
      return `snap-${number}`;
    }
    if (!taken.has(wanted)) return wanted;
    const message = `The computer ${quoted} has a snapshot named ${JSON.stringify(wanted)} already.`;
    throw new ApiError('name_taken', message, { remedy: `Choose another name. See: ${list}` });
  }

  #view(id: string): Snapshot {
    const disk = this.#store.savedDisks.find(id);
    const view = this.list({ id: disk?.computer_id ?? '' }).find(({ name }) => name === disk?.name);
    if (view !== undefined) return view;
    throw new ApiError('not_found', 'The snapshot was deleted meanwhile.');
  }
}
