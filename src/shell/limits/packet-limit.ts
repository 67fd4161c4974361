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

/** Limits requests and small packets of a guest, in all its connections together. */
export class PacketLimit {
  readonly #requests = new TokenBucket(MOST_REQUESTS, REQUESTS_PER_SECOND);
  readonly #packets = new TokenBucket(MOST_PACKETS, PACKETS_PER_SECOND);

  /** Charges a request or an exchange of keys. False if the guest sent too many. */
  chargeRequest(): boolean {
    return this.#requests.take(1);
  }

  chargePacket(): void {
    this.#packets.take(1);
  }

  /** Allows the packets of `bytes` received bytes, which are handled afterwards. */
  received(bytes: number): void {
    this.#packets.add(bytes / BYTES_PER_PACKET);
  }

  /**
   * Whether the guest is to be read later because of its small packets. That is no error: a guest that
   * is read later sends larger ones.
   */
  get isExceeded(): boolean {
    return this.#packets.debtMs > 0;
  }
}
