import { createHash } from 'node:crypto';
import { ApiError } from '../../../contract/errors.js';
import { type Cidr, formatCidr, overlap, parseCidr, size } from '../../../lib/net/cidr.js';

/** The pool of the machines' networks, of all services of a host. */
export const SUBNET_POOL = '10.213.0.0/16';

/** Room for the bridge and one container. */
const BITS = 30;

/**
 * Subnets of two hosts from a pool. The Engine's own default pools hold about thirty networks; a
 * /16 pool holds 16,384.
 */
export class Subnets {
  readonly #pool: Cidr;
  readonly #count: number;

  constructor(pool: string) {
    this.#pool = parseCidr(pool);
    if (this.#pool.bits > BITS) {
      throw new ApiError('invalid_request', `The pool ${pool} has no room for a /${BITS}.`);
    }
    this.#count = 2 ** (BITS - this.#pool.bits);
  }

  /**
   * A subnet for a machine that overlaps none of `taken`. The search starts at a hash of the id, so
   * that concurrent calls and other services rarely choose the same one. Throws `limit_reached`
   * when the pool is used up.
   */
  choose(id: string, taken: readonly string[]): string {
    const used = taken.filter((text) => !text.includes(':')).map(parseCidr);
    const start = createHash('sha256').update(id).digest().readUInt32BE() % this.#count;
    for (let step = 0; step < this.#count; step++) {
      const candidate = this.#at((start + step) % this.#count);
      if (!used.some((other) => overlap(candidate, other))) return formatCidr(candidate);
    }
    const message = `All networks of the pool ${formatCidr(this.#pool)} are in use; delete computers.`;
    throw new ApiError('limit_reached', message);
  }

  #at(index: number): Cidr {
    return { base: this.#pool.base + index * size(BITS), bits: BITS };
  }
}
