import { ApiError } from '../../../contract/errors.js';
import { type KeyInUse, KeyShares } from './key-shares.js';

/** Bounds how many operations of a kind an owner and its limited keys run at once. */
export class AtOnce {
  readonly #what: string;
  readonly #most: number;
  readonly #owners = new Map<string, KeyShares>();

  /** `what` names the operations in errors. */
  constructor(what: string, most: number) {
    this.#what = what;
    this.#most = most;
  }

  /** Throws ApiError `rate_limited` at the limit. */
  async run<T>(key: KeyInUse, work: () => Promise<T>): Promise<T> {
    const shares = this.#owners.get(key.ownerId) ?? new KeyShares(this.#most);
    if (!shares.fits(key, 1)) {
      const message = `Too many ${this.#what} run at once; the limit is ${shares.describe(key)}.`;
      throw new ApiError('rate_limited', message, { remedy: 'Wait until one has ended.' });
    }
    this.#owners.set(key.ownerId, shares);
    shares.add(key, 1);
    try {
      return await work();
    } finally {
      shares.add(key, -1);
      if (shares.isEmpty) this.#owners.delete(key.ownerId);
    }
  }
}
