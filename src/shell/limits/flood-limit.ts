import { TokenBucket } from '../../lib/async/token-bucket.js';

/** Requests of the guest at once, and per second after that; OpenSSH sends one after a login. */
const MOST_REQUESTS = 100;
const REQUESTS_PER_SECOND = 1;
/**
 * Packets at once, and per second after that, besides one for each {@link BYTES_PER_PACKET} bytes. A
 * packet takes about 10 microseconds of the processor, however small it is.
 */
const MOST_PACKETS = 50_000;
const PACKETS_PER_SECOND = 5_000;
const BYTES_PER_PACKET = 1024;
/**
 * Bytes at once, and per second after that, besides the data that the guest was allowed to send and
 * {@link OVERHEAD} for each packet. To decrypt and drop 60 MB per second keeps a processor busy.
 */
const MOST_OTHER = 4 << 20;
const OTHER_PER_SECOND = 1 << 20;
/** Header, padding and signature of a packet. */
const OVERHEAD = 128;

/** Limits requests, small packets and unwanted bytes of a guest, in all its connections together. */
export class FloodLimit {
  readonly #requests = new TokenBucket(MOST_REQUESTS, REQUESTS_PER_SECOND);
  readonly #packets = new TokenBucket(MOST_PACKETS, PACKETS_PER_SECOND);
  readonly #other = new TokenBucket(MOST_OTHER, OTHER_PER_SECOND);

  /** Charges a request or an exchange of keys. False if the guest sent too many. */
  chargeRequest(): boolean {
    return this.#requests.take(1);
  }

  chargePacket(): void {
    this.#packets.take(1);
    this.#other.add(OVERHEAD);
  }

  /** Call with each data that the guest was allowed to send; all other bytes are limited. */
  allowed(bytes: number): void {
    this.#other.add(bytes);
  }

  /**
   * Allows the packets of `bytes` received bytes, which are handled afterwards. Returns the milliseconds
   * for which the guest is not to be read: not an error, because a guest that is read later sends
   * larger packets.
   */
  received(bytes: number): number {
    this.#packets.add(bytes / BYTES_PER_PACKET);
    const ms = Math.max(this.#packets.debtMs, this.#other.debtMs);
    this.#other.take(bytes);
    return ms;
  }
}
