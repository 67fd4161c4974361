import { oldestOfEach } from '../accounts/oldest.js';
import type { HolderOf } from '../store/accounts/key-holders.js';
import { type Divide, divideExcess } from '../store/limits/excess.js';
import { divideShares } from '../store/limits/shares.js';
import { type Caller, isOf, nameOf, type Removed } from './caller.js';

interface FrameLimits {
  readonly ofOwner: number;
  readonly inAll: number;
}

type OwnFrames<F> = Map<string, { readonly caller: Caller; readonly frame: F }>;

/**
 * The last frame of each pair of API key and computer. Beyond the limit in all, the oldest one of the
 * holder of keys with the most is dropped, of the owner with the most.
 */
export class FramePool<F> {
  /** By owner, then by key and computer, the oldest first. */
  readonly #owners = new Map<string, OwnFrames<F>>();
  readonly #limits: FrameLimits;
  readonly #holderOf: HolderOf;

  constructor(holderOf: HolderOf, limits: FrameLimits) {
    this.#limits = limits;
    this.#holderOf = holderOf;
  }

  last(caller: Caller): F | undefined {
    return this.#owners.get(caller.ownerId)?.get(nameOf(caller))?.frame;
  }

  shown(caller: Caller, frame: F): void {
    const { ofOwner, inAll } = this.#limits;
    const frames: OwnFrames<F> = this.#owners.get(caller.ownerId) ?? new Map();
    this.#owners.set(caller.ownerId, frames);
    frames.delete(nameOf(caller));
    frames.set(nameOf(caller), { caller, frame });
    this.#drop(frames, (counts) => divideShares(counts, ofOwner));
    let sum = 0;
    for (const { size } of this.#owners.values()) sum += size;
    if (sum <= inAll) return;
    const [largest] = [...this.#owners.values()].sort((a, b) => b.size - a.size);
    if (largest !== undefined) this.#drop(largest, (counts) => divideExcess(counts, sum - inAll));
  }

  remove(caller: Caller): void {
    const frames = this.#owners.get(caller.ownerId);
    frames?.delete(nameOf(caller));
    if (frames?.size === 0) this.#owners.delete(caller.ownerId);
  }

  forget(removed: Removed): void {
    for (const frames of [...this.#owners.values()]) {
      for (const { caller } of [...frames.values()]) if (isOf(caller, removed)) this.remove(caller);
    }
  }

  #drop(frames: OwnFrames<F>, divide: Divide): void {
    const keys = [...frames].map(([name, { caller }]) => [name, caller.keyId] as const);
    for (const name of oldestOfEach(keys, this.#holderOf, divide)) frames.delete(name);
  }
}
