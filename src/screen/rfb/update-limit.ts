import { TokenBucket } from '../../lib/async/token-bucket.js';
import { protocolError } from '../errors.js';

/** All amounts are in pixels. */
const CAPACITY = 64 << 20;
const PER_SECOND = 16 << 20;
/** The base cost of a message: allows about 4,000 unsolicited messages per second. */
const MESSAGE = 4096;
/**
 * Pixels of compact encodings, at once and per second: a full screen of 1280x800 64 times a second. The
 * server sends a few bytes for millions of them, which take this process about 1.6 nanoseconds each.
 */
const COMPACT = 64 << 20;
/** Changes of the screen's size at once, and per second after that. A boot changes it a few times. */
const RESIZES = 16;
const RESIZES_PER_SECOND = 1;

/**
 * Limits unsolicited messages. A well-behaved server sends pixels only on request, and few other
 * messages; a hostile one could keep this process busy forever with either. One limit is for all
 * connections to a computer: a hostile one could end each before its limit.
 */
export class UpdateLimit {
  readonly #bucket = new TokenBucket(CAPACITY, PER_SECOND);
  readonly #compact = new TokenBucket(COMPACT, COMPACT);
  readonly #resizes = new TokenBucket(RESIZES, RESIZES_PER_SECOND);

  /** Allows the answer to a request for `pixels` pixels, which the server may send twice. */
  grant(pixels: number): void {
    this.#bucket.add(2 * pixels + 2 * MESSAGE);
  }

  /**
   * Charges one message or rectangle of `pixels` pixels. Throws when the limit is exceeded: all of it takes
   * a tenth of a second.
   */
  charge(pixels: number): void {
    if (!this.#bucket.take(pixels + MESSAGE)) {
      throw protocolError('sent far more data than was requested');
    }
  }

  /**
   * Charges a rectangle whose bytes are far fewer than its work, in pixels, in addition to
   * {@link charge}. Requests grant none of these. Returns the milliseconds to wait before it is
   * processed; the server is not read meanwhile.
   */
  chargeCompact(pixels: number): number {
    this.#compact.take(pixels);
    return this.#compact.debtMs;
  }

  /**
   * Charges a change of the screen's size. It takes the server a few bytes and this process new memory
   * for all pixels, which requests therefore do not grant.
   */
  chargeResize(): void {
    if (!this.#resizes.take(1)) throw protocolError('changed the size of its screen too often');
  }
}
