import { ApiError } from '../../contract/errors.js';
import {
  type DiskSource,
  type Engine,
  isSnapshotting,
  type SaveRequest,
  type Snapshotting,
} from '../../engines/engine.js';
import type { Log } from '../../lib/log.js';
import { presentOwner } from '../accounts/present-owner.js';
import { generateId } from '../computers/ids.js';
import type { Quota } from '../computers/quota.js';
import { refuseUnsettled } from '../computers/settled.js';
import { removeBuildLog } from '../images/build/log.js';
import type { StepCache } from '../images/build/step-cache.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord, SavedDiskRecord } from '../store/records.js';

/** What to save of a computer. */
export interface DiskToSave {
  readonly kind: DiskSource['kind'];
  /** Called when nothing changes the computer; may throw. Undefined: only for the copies of a fork. */
  name(present: ComputerRecord): string | undefined;
  readonly memory: SaveRequest['memory'];
  /** 1 for an image for all owners. */
  readonly shared?: number;
  /** `action`: the caller performs an action, so this waits for none. */
  readonly within?: 'queue' | 'action';
  /** A snapshot of the computer to save in place of its present disk. */
  readonly of?: SavedDiskRecord | undefined;
}

export interface SavedDisksParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly quota: Quota;
  readonly steps: StepCache;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Saves disks of computers, and removes those that nobody needs. A row is written before the disk is
 * saved and removed after it: after a crash at any point, a row that is not complete is removed with
 * its disk, and a disk without a row is an orphan.
 */
export class SavedDisks {
  readonly #parts: SavedDisksParts;
  readonly #store: Store;
  /** Ids of those that this process is saving. */
  readonly #saving = new Set<string>();

  constructor(parts: SavedDisksParts) {
    this.#parts = parts;
    this.#store = parts.store;
    // A process that was killed has left them.
    this.#store.writeToFreeSpace(() => this.#store.savedDisks.retireUnfinished());
  }

  /** The engine of a computer, if it saves disks. Throws `unsupported` otherwise. */
  engineOf({ engine: name }: Pick<ComputerRecord, 'engine'>): Engine & Snapshotting {
    const engine = this.#parts.machines.engine(name);
    if (isSnapshotting(engine)) return engine;
    const able = this.#parts.machines.offered.find(isSnapshotting);
    const message = `The engine ${JSON.stringify(name)} does not save disks of computers.`;
    throw new ApiError('unsupported', message, {
      ...(able && { remedy: `Use a computer of another engine: vc create --engine ${able.name}` }),
    });
  }

  /**
   * Saves the disk of a computer while no step runs on it and no key is held; it runs on. `complete` is
   * called in the transaction that completes the row. If anything fails, nothing is left.
   */
  async save<T>(
    source: ComputerRecord,
    wanted: DiskToSave,
    complete: (disk: SavedDiskRecord, present: ComputerRecord) => T,
  ): Promise<T> {
    const { machines, stopping } = this.#parts;
    const engine = this.engineOf(source);
    const id = generateId(wanted.kind === 'image' ? 'img' : 'snp');
    this.#saving.add(id);
    const save = () => this.#save(engine, id, source, wanted, complete);
    try {
      // A snapshot does not change with its computer.
      if (wanted.of !== undefined) return await save();
      const machine = machines.of(source);
      if (wanted.within === 'action') return await machine.between(save, stopping);
      return await machine.held(save, stopping);
    } catch (error) {
      if (!stopping.aborted) await this.#discard(engine, id);
      throw error;
    } finally {
      this.#saving.delete(id);
    }
  }

  async #save<T>(
    engine: Engine & Snapshotting,
    id: string,
    { id: computerId, owner_id: ownerId }: ComputerRecord,
    { kind, name, memory, of, shared = 0 }: DiskToSave,
    complete: (disk: SavedDiskRecord, present: ComputerRecord) => T,
  ): Promise<T> {
    const { quota, stopping } = this.#parts;
    await this.#makeRoom(ownerId, 1);
    const isNamed = this.#store.transaction(() => {
      presentOwner(this.#store, ownerId);
      const present = this.#present(computerId, of);
      quota.refuseStorage(ownerId);
      const given = name(present) ?? null;
      const isSnapshot = kind === 'snapshot' && given !== null;
      this.#store.savedDisks.insert({
        id,
        kind,
        owner_id: ownerId,
        computer_id: isSnapshot ? computerId : null,
        engine: engine.name,
        name: given,
        parent: isSnapshot ? present.snapshot : null,
        os: present.os,
        config: this.#configOf(present.source),
        shared,
      });
      return given !== null;
    });
    const source = of && { id: of.id, kind: of.kind };
    const forCopies = kind === 'snapshot' && !isNamed;
    const request = { id, kind, ownerId, memory, forCopies, ...(source && { of: source }) };
    const saved = await engine.save(computerId, request, stopping);
    stopping.throwIfAborted();
    await this.#makeRoom(ownerId, saved.bytes);
    return this.#store.transaction(() => {
      const present = this.#present(computerId, of);
      const disk = this.#store.savedDisks.find(id);
      if (disk === undefined) throw new Error(`the row of ${id} is gone`);
      quota.refuseStorage(ownerId, saved.bytes);
      this.#store.savedDisks.complete(disk, disk.name === null ? 'retired' : 'ready', saved);
      return complete({ ...disk, bytes: saved.bytes, memory: Number(saved.memory) }, present);
    });
  }

  /** What the image that a computer was made from passes on. */
  #configOf(source: string | null): string | null {
    return source === null ? null : (this.#store.savedDisks.find(source)?.config ?? null);
  }

  /** Removes steps of image builds that are not in use, if that much more storage is over the limit. */
  async #makeRoom(ownerId: string, bytes: number): Promise<void> {
    const engines = this.#parts.steps.makeRoom(ownerId, bytes);
    for (const name of engines) await this.tidy(this.#parts.machines.engine(name));
  }

  /** The computer, which may have changed while its disk was waited for. */
  #present(id: string, of: SavedDiskRecord | undefined): ComputerRecord {
    const present = this.#store.computers.findById(id);
    if (of === undefined) return refuseUnsettled(present);
    if (present !== undefined && this.#store.savedDisks.find(of.id)?.state === 'ready')
      return present;
    throw new ApiError(
      'not_found',
      `The snapshot ${JSON.stringify(of.name)} was deleted meanwhile.`,
    );
  }

  /** Removes what a failed save may have left; the reconciler retries a removal that fails. */
  async #discard(engine: Engine & Snapshotting, id: string): Promise<void> {
    const disk = this.#store.savedDisks.find(id);
    if (disk === undefined) return;
    try {
      // Its name is free, also while the engine is away.
      this.#store.writeToFreeSpace(() => this.#store.savedDisks.retire(disk));
      await this.#removeSaved(engine, id);
      this.#forget(id);
    } catch (err) {
      this.#parts.log.warn({ disk: id, err }, 'could not remove a disk that was not saved');
    }
  }

  /** Removes disks of an engine that were deleted, or not completed, and that no computer needs. */
  async tidy(
    engine: Engine,
    which: (disk: SavedDiskRecord) => boolean = () => true,
    signal?: AbortSignal,
  ): Promise<void> {
    if (!isSnapshotting(engine)) return;
    const failures: unknown[] = [];
    for (const disk of this.#store.savedDisks.unused(engine.name)) {
      if (this.#saving.has(disk.id) || !which(disk)) continue;
      signal?.throwIfAborted();
      await this.#removeSaved(engine, disk.id, signal)
        .then(() => this.#forget(disk.id))
        .catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Removes the disks of an owner whose computers were removed. */
  async removeOfOwner(ownerId: string): Promise<void> {
    this.#store.writeToFreeSpace(() => this.#store.savedDisks.retireOfOwner(ownerId));
    for (const engine of this.#parts.machines.engines()) {
      await this.tidy(engine, (disk) => disk.owner_id === ownerId);
    }
  }

  /** Compares the rows with the disks that the engine has. */
  async reconcile(engine: Engine, signal: AbortSignal): Promise<void> {
    if (!isSnapshotting(engine)) return;
    const disks = await engine.savedDisks(signal);
    const unknown = disks.filter(({ id }) => this.#store.savedDisks.find(id) === undefined);
    const ids = unknown.map(({ id }) => id);
    for (const id of this.#store.orphans.removable(`${engine.name} disks`, ids)) {
      this.#parts.log.info({ disk: id }, 'removing a saved disk without a row');
      await this.#removeSaved(engine, id, signal);
    }
    await this.tidy(engine, undefined, signal);
  }

  /** Removes a disk, and the log of its build if it was an image. */
  async #removeSaved(engine: Snapshotting, id: string, signal?: AbortSignal): Promise<void> {
    await engine.removeSaved(id, signal);
    removeBuildLog(this.#store.directory, id);
  }

  #forget(id: string): void {
    const remove = () => this.#store.savedDisks.remove(id);
    // Once more for the error.
    if (!this.#store.writeToFreeSpace(remove)) remove();
  }
}
