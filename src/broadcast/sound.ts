/** Sound is 16 bit, little endian, stereo: the same form from the computer to the encoder. */
export const SAMPLE_RATE = 48_000;
/** One sample of both channels. */
export const SAMPLE_BYTES = 4;
export const SOUND_BYTES_PER_SECOND = SAMPLE_RATE * SAMPLE_BYTES;

/** Milliseconds that are buffered before sound is played, as it arrives in irregular pieces. */
export const SOUND_DELAY_MS = 100;
/** Milliseconds that are kept at most. */
const MOST_MS = 400;

const bytesOf = (ms: number) => (ms * SOUND_BYTES_PER_SECOND) / 1000;

/**
 * The latest sound of a computer, which the pictures of a video set the pace for: each takes as much
 * sound as it lasts. What is missing is silence; what nobody takes in time is dropped.
 */
export class SoundBuffer {
  readonly #ring = Buffer.alloc(bytesOf(MOST_MS));
  #start = 0;
  #length = 0;
  #isPlaying = false;

  /** Adds whole samples. */
  push(chunk: Buffer): void {
    const added = chunk.subarray(Math.max(0, chunk.length - this.#ring.length));
    // Continue with the usual delay.
    if (this.#length + added.length > this.#ring.length) {
      this.#skip(Math.max(0, this.#length + added.length - bytesOf(SOUND_DELAY_MS)));
    }
    const end = (this.#start + this.#length) % this.#ring.length;
    const copied = added.copy(this.#ring, end, 0, this.#ring.length - end);
    added.copy(this.#ring, 0, copied);
    this.#length += added.length;
  }

  /** The next bytes, a whole number of samples. */
  take(bytes: number): Buffer {
    const taken = Buffer.alloc(bytes);
    if (this.#length >= bytesOf(SOUND_DELAY_MS)) this.#isPlaying = true;
    if (!this.#isPlaying) return taken;
    // Wait for the usual delay again.
    if (this.#length < bytes) this.#isPlaying = false;
    const most = Math.min(bytes, this.#length);
    const copied = this.#ring.copy(taken, 0, this.#start, this.#start + most);
    this.#ring.copy(taken, copied, 0, most - copied);
    this.#skip(most);
    return taken;
  }

  #skip(bytes: number): void {
    const skipped = Math.min(bytes, this.#length);
    this.#start = (this.#start + skipped) % this.#ring.length;
    this.#length -= skipped;
  }
}
