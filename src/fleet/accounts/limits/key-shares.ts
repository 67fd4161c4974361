import { limitedShare } from '../../store/limits/shares.js';
import type { ApiKeys, Owner } from '../api-keys.js';

/** The key of a request, and whether it lacks a right or a project of its owner. */
export interface KeyInUse {
  readonly ownerId: string;
  readonly id: string;
  readonly isLimited: boolean;
}

export function keyInUse(apiKeys: Pick<ApiKeys, 'rightsOf'>, owner: Owner): KeyInUse {
  const isFull = owner.projectId === undefined && apiKeys.rightsOf(owner) === 'manage';
  return { ownerId: owner.id, id: owner.keyId, isLimited: !isFull };
}

/** Requests of one queue wait for each other: those of each limited key, and all others of the owner. */
export function queueOf({ ownerId, id, isLimited }: KeyInUse): string {
  return isLimited ? id : ownerId;
}

/**
 * What the keys of one owner have of a limit. Limited keys cannot have all of it: a key with all
 * rights must always be able to revoke them.
 */
export class KeyShares {
  readonly #limit: number;
  readonly #share: ReturnType<typeof limitedShare>;
  readonly #ofKey = new Map<string, number>();
  #all = 0;
  #limited = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#share = limitedShare(limit);
  }

  get isEmpty(): boolean {
    return this.#all === 0;
  }

  get total(): number {
    return this.#all;
  }

  /** For an error: the limit, and the key's part of it. */
  describe({ isLimited }: KeyInUse): string {
    const own = isLimited ? `, of which this API key can have ${this.#share.ofOne}` : '';
    return `${this.#limit}${own}`;
  }

  fits({ id, isLimited }: KeyInUse, amount: number): boolean {
    if (this.#all + amount > this.#limit) return false;
    if (!isLimited) return true;
    const own = (this.#ofKey.get(id) ?? 0) + amount;
    return own <= this.#share.ofOne && this.#limited + amount <= this.#share.ofAll;
  }

  /** Counts the amount, or no longer if it is negative: then with the key as it was counted. */
  add({ id, isLimited }: KeyInUse, amount: number): void {
    this.#all += amount;
    if (!isLimited) return;
    this.#limited += amount;
    const own = (this.#ofKey.get(id) ?? 0) + amount;
    if (own === 0) this.#ofKey.delete(id);
    else this.#ofKey.set(id, own);
  }
}
