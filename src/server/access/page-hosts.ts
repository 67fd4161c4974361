import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';

/** Characters of the random part of a name, and of the part that shows whose it is: 64 bits each. */
const LENGTH = 16;

/**
 * The host names of the web page without TLS: each link has its own. They are good until the service
 * stops, because what makes them is in its memory alone.
 */
export class PageHosts {
  #key: Buffer | undefined = randomBytes(32);

  /** A name of loopback that nobody knows yet; see `isPageHost`. */
  issue(): string {
    if (this.#key === undefined) {
      const message = 'Another program listens where browsers would look for the web page.';
      throw new ApiError('conflict', message, {
        remedy: 'Stop it (ss -ltnp shows it), and restart the service.',
      });
    }
    const random = randomBytes(LENGTH / 2).toString('hex');
    return nameOf(random, this.#key);
  }

  /** Whether the name, which is one of a page, is of this start of the service. */
  isOurs(name: string): boolean {
    if (this.#key === undefined) return false;
    const random = name.slice('vc-'.length, 'vc-'.length + LENGTH);
    const signed = Buffer.from(nameOf(random, this.#key));
    const given = Buffer.from(name);
    return given.length === signed.length && timingSafeEqual(given, signed);
  }

  /** Ends all names, for good: another program has an address where browsers look for them. */
  end(): void {
    this.#key = undefined;
  }
}

function nameOf(random: string, key: Buffer): string {
  const signature = createHmac('sha256', key).update(random).digest('hex').slice(0, LENGTH);
  return `vc-${random}${signature}.localhost`;
}
