import type { Quota } from '../../computers/quota.js';
import type { BuildStepRecord } from '../../store/build-steps.js';
import type { Store } from '../../store/index.js';
import type { SavedDiskRecord } from '../../store/records.js';

/** Steps of an owner that are kept. */
const MOST_STEPS = 400;

/** Where the steps of a build are saved, and those that it uses. */
export interface StepUser {
  readonly ownerId: string;
  readonly engine: string;
  /** Keys of steps that must stay. */
  readonly pinned: Set<string>;
}

/**
 * Disks of steps of image builds. Removing a row here makes its disk one that nobody needs, unless
 * computers were made from it.
 */
export class StepCache {
  readonly #store: Store;
  readonly #quota: Quota;
  readonly #users = new Set<StepUser>();

  constructor(store: Store, quota: Quota) {
    this.#store = store;
    this.#quota = quota;
  }

  /** Keeps the steps that a build finds or saves until the returned function is called. */
  use(user: StepUser): () => void {
    this.#users.add(user);
    return () => this.#users.delete(user);
  }

  /** The disk after a step, which the build uses from now on. */
  find({ ownerId, engine, pinned }: StepUser, key: string): SavedDiskRecord | undefined {
    const step = this.#store.buildSteps.find(ownerId, engine, key);
    const disk = step && this.#store.savedDisks.find(step.disk_id);
    if (disk === undefined || disk.state === 'saving') return undefined;
    pinned.add(key);
    this.#store.buildSteps.touch(ownerId, engine, key);
    return disk;
  }

  /** Call in the transaction that completes the disk. */
  put({ ownerId, engine, pinned }: StepUser, key: string, parent: string | null, diskId: string) {
    pinned.add(key);
    const step = { owner_id: ownerId, engine, key, parent, disk_id: diskId };
    this.#store.buildSteps.put(step);
    this.#store.buildSteps.touch(ownerId, engine, key);
    const steps = this.#store.buildSteps.oldest(ownerId);
    for (const old of this.#unused(steps).slice(0, Math.max(0, steps.length - MOST_STEPS))) {
      this.#store.buildSteps.remove(old);
    }
  }

  /** The engine has lost the disk of a step. */
  forget({ ownerId, engine }: StepUser, key: string): void {
    this.#store.buildSteps.remove({ owner_id: ownerId, engine, key });
  }

  /**
   * Removes the oldest steps until `bytes` more are within the owner's limit of storage, if it can.
   * Returns the engines whose disks can be removed.
   */
  makeRoom(ownerId: string, bytes: number): string[] {
    return this.#remove(ownerId, this.#quota.excessStorage(ownerId, bytes));
  }

  /** Removes all steps of the owner that can be. Returns the engines whose disks can be removed. */
  prune(ownerId: string): string[] {
    return this.#remove(ownerId, Number.POSITIVE_INFINITY);
  }

  #remove(ownerId: string, bytes: number): string[] {
    let excess = bytes;
    if (excess === 0) return [];
    const removed = this.#unused(this.#store.buildSteps.oldest(ownerId)).filter((step) => {
      const disk = this.#store.savedDisks.find(step.disk_id);
      // An image of the owner stays.
      if (excess <= 0 || disk?.state === 'ready') return false;
      excess -= disk?.bytes ?? 0;
      this.#store.buildSteps.remove(step);
      return true;
    });
    return [...new Set(removed.map(({ engine }) => engine))];
  }

  #unused(steps: readonly BuildStepRecord[]): BuildStepRecord[] {
    const users = [...this.#users];
    const isPinned = ({ owner_id, engine, key }: BuildStepRecord) =>
      users.some(
        (user) => user.ownerId === owner_id && user.engine === engine && user.pinned.has(key),
      );
    return steps.filter((step) => !isPinned(step));
  }
}
