import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import { SharedRate, TokenBucket } from '../../lib/async/token-bucket.js';

/** Bytes that are taken at once, and per second after that: a target answers, and sends no media. */
const MOST_BYTES = 128 * 1024;
const BYTES_PER_SECOND = 64 * 1024;
/**
 * Bytes of a handshake: chains of certificates have 3 to 8 KiB. A target can make each KiB of it take five
 * milliseconds in one turn, by keys whose signatures take long to check.
 */
const MOST_HANDSHAKE = 12 * 1024;
/** What the handshakes of all targets have per second, divided equally among their addresses. */
const HANDSHAKES_PER_SECOND = 64 * 1024;
/** Bytes of a turn of the event loop. */
const PIECE = 4 * 1024;

const handshakes = new SharedRate(MOST_HANDSHAKE, HANDSHAKES_PER_SECOND);

/**
 * A connection whose bytes are passed on a piece in a turn, and not faster than a target sends. It is
 * below TLS, too, because messages of TLS itself take time, and nobody sees them: session tickets and
 * new keys.
 */
export class SlowInput extends Duplex {
  readonly #raw: Socket;
  readonly #address: string;
  /** Bytes of the handshake; undefined after it. */
  #handshake: number | undefined = 0;
  readonly #bucket = new TokenBucket(MOST_BYTES, BYTES_PER_SECOND);
  #isWanted = false;
  #isResting = false;

  constructor(raw: Socket, address: string) {
    super({ readableHighWaterMark: PIECE, writableHighWaterMark: 0 });
    this.#raw = raw;
    this.#address = address;
    raw.on('readable', () => this.#pass());
    raw.on('end', () => this.push(null));
    raw.on('error', (error) => this.destroy(error));
    raw.on('close', () => this.destroy());
  }

  /** There is no handshake of TLS, or it is complete. */
  secured(): void {
    this.#handshake = undefined;
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pass();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#raw.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#raw.destroy();
    done(error);
  }

  #pass(): void {
    if (!this.#isWanted || this.#isResting || this.destroyed) return;
    const piece: Buffer | null = this.#raw.read(Math.min(PIECE, this.#raw.readableLength));
    if (piece === null) return;
    this.#isWanted = false;
    this.#isResting = true;
    const debtMs = this.#count(piece.length);
    if (debtMs === undefined) {
      this.destroy(new Error('its TLS handshake is too long'));
      return;
    }
    const next = () => {
      this.#isResting = false;
      this.#pass();
    };
    if (debtMs > 0) setTimeout(next, debtMs).unref();
    else setImmediate(next);
    this.push(piece);
  }

  /** Milliseconds until more may be taken; undefined if that was too much. */
  #count(bytes: number): number | undefined {
    if (this.#handshake === undefined) {
      this.#bucket.take(bytes);
      return this.#bucket.debtMs;
    }
    this.#handshake += bytes;
    if (this.#handshake > MOST_HANDSHAKE) return undefined;
    handshakes.take(this.#address, bytes);
    return handshakes.debtMs(this.#address);
  }
}
