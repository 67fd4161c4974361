import type { NewMachine } from './reserving.js';

export interface WarmRequest<S> {
  readonly spec: S;
  readonly shape: string;
  /** Attempts that failed. */
  readonly failures: number;
}

/**
 * Requests for warm machines, one per owner and shape, and `limit` in all. Beyond that, the oldest of
 * the owner with the most is dropped, but no owner's only one: with more owners than `limit`, each has
 * one.
 */
export class WarmRequests<S extends NewMachine> {
  readonly #limit: number;
  /** In the order of their turns; of each the oldest first. */
  readonly #owners = new Map<string, readonly WarmRequest<S>[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    let size = 0;
    for (const requests of this.#owners.values()) size += requests.length;
    return size;
  }

  /** As the newest of its owner, whose turn stays the same. */
  add(spec: S): void {
    const shape = shapeOf(spec);
    const own = this.#of(spec);
    const failures = own.find((request) => request.shape === shape)?.failures ?? 0;
    const others = own.filter((request) => request.shape !== shape);
    this.#set(spec.ownerId, [...others, { spec, shape, failures }]);
  }

  /** As the oldest of its owner, unless there is a newer one like it. */
  putBack(request: WarmRequest<S>): void {
    const own = this.#of(request.spec);
    if (own.some(({ shape }) => shape === request.shape)) return;
    this.#set(request.spec.ownerId, [request, ...own]);
  }

  /** Takes one: the owners have it in turn. */
  next(): WarmRequest<S> | undefined {
    for (const [ownerId, [request, ...rest]] of this.#owners) {
      this.#owners.delete(ownerId);
      if (rest.length > 0) this.#owners.set(ownerId, rest);
      return request;
    }
    return undefined;
  }

  forgetOwner(ownerId: string): void {
    this.#owners.delete(ownerId);
  }

  #of({ ownerId }: S): readonly WarmRequest<S>[] {
    return this.#owners.get(ownerId) ?? [];
  }

  #set(ownerId: string, requests: readonly WarmRequest<S>[]): void {
    this.#owners.set(ownerId, requests);
    while (this.size > this.#limit) {
      const [id, most] = [...this.#owners].reduce((a, b) => (b[1].length > a[1].length ? b : a));
      if (most.length === 1) return;
      this.#owners.set(id, most.slice(1));
    }
  }
}

function shapeOf({ os, image, cpu, ram, resolution }: NewMachine): string {
  return JSON.stringify([os, image, cpu, ram, resolution]);
}
