/** Sound is 16 bit, little endian, stereo: the same form from the computer to the encoder. */
export const SAMPLE_RATE = 48_000;
/** One sample of both channels. */
export const SAMPLE_BYTES = 4;
export const SOUND_BYTES_PER_SECOND = SAMPLE_RATE * SAMPLE_BYTES;

/** Milliseconds that are buffered before sound is played, as it arrives in irregular pieces. */
export const SOUND_DELAY_MS = 100;
/** Milliseconds that are kept at most: what pictures that are late still take. */
const MOST_MS = 3_000;
/** Milliseconds after which sound that was never needed is skipped, which else stays late. */
const SKIP_MS = 5_000;

const bytesOf = (ms: number) => (ms * SOUND_BYTES_PER_SECOND) / 1000;

/**
 * The latest sound of a computer, of which each picture of a video takes as much as it lasts.
 * What is missing is silence; what nobody takes in time is dropped.
 */
export class SoundBuffer {
  readonly #ring = Buffer.alloc(bytesOf(MOST_MS));
  #start = 0;
  #length = 0;
  #isPlaying = false;
  /** The least that was left, of the last bytes that were taken. */
  #least = Number.POSITIVE_INFINITY;
  #taken = 0;

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
    this.#catchUp(bytes);
    return taken;
  }

  /** The clocks of computer and host differ, and sound that came late is followed by all that was due. */
  #catchUp(bytes: number): void {
    this.#least = Math.min(this.#least, this.#length);
    this.#taken += bytes;
    if (this.#taken < bytesOf(SKIP_MS)) return;
    if (this.#least > bytesOf(2 * SOUND_DELAY_MS))
      this.#skip(this.#least - bytesOf(SOUND_DELAY_MS));
    this.#least = Number.POSITIVE_INFINITY;
    this.#taken = 0;
  }

  #skip(bytes: number): void {
    const skipped = Math.min(bytes, this.#length);
    this.#start = (this.#start + skipped) % this.#ring.length;
    this.#length -= skipped;
  }
}
