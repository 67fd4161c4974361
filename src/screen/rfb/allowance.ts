import { protocolError } from '../errors.js';

/** All amounts are in pixels' worth of work. */
const CAPACITY = 64 << 20;
const PER_SECOND = 16 << 20;
/** A message costs this much whatever it holds: some 4,000 unasked messages a second are borne. */
const MESSAGE = 4096;

/**
 * Bounds what a server may send unasked. An honest server sends pixels only on request, and few
 * other messages; a hostile one could keep this process busy for ever with either.
 */
export class Allowance {
  #left = CAPACITY;
  #at = performance.now();

  /** The server was asked for so many pixels; it may need them twice over. */
  grant(pixels: number): void {
    this.#left = Math.min(CAPACITY, this.#left + 2 * pixels + 2 * MESSAGE);
  }

  /** One message or rectangle came, with so many pixels. Throws when it is too much. */
  charge(pixels: number): void {
    this.#left -= pixels + MESSAGE;
    if (this.#left >= 0) return;
    const now = performance.now();
    this.#left = Math.min(CAPACITY, this.#left + ((now - this.#at) / 1000) * PER_SECOND);
    this.#at = now;
    if (this.#left < 0) throw protocolError('sends far more than it was asked for');
  }
}
