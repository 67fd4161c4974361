import { ApiError } from '../../contract/errors.js';

/** Bounds how many operations of a kind an owner runs at once. */
export class AtOnce {
  readonly #what: string;
  readonly #most: number;
  readonly #running = new Map<string, number>();

  /** `what` names the operations in errors. */
  constructor(what: string, most: number) {
    this.#what = what;
    this.#most = most;
  }

  /** Throws ApiError `rate_limited` at the limit. */
  async run<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(ownerId) ?? 0;
    if (running >= this.#most) {
      const message = `Too many ${this.#what} run at once; the limit is ${this.#most}.`;
      throw new ApiError('rate_limited', message, { remedy: 'Wait until one has ended.' });
    }
    this.#running.set(ownerId, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(ownerId) ?? 1) - 1;
      if (left === 0) this.#running.delete(ownerId);
      else this.#running.set(ownerId, left);
    }
  }
}
