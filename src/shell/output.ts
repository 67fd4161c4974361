/** Keeps the first `limit` bytes of a stream and drops the rest, so memory stays flat. */
export class CappedOutput {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when something was dropped. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Copies: a chunk may be a small part of a much larger buffer that has to be let go. */
  write(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#limit - this.#length);
    if (taken < chunk.length) this.#truncated = true;
    if (taken === 0) return;
    this.#reserve(this.#length + taken);
    chunk.copy(this.#bytes, this.#length, 0, taken);
    this.#length += taken;
  }

  /**
   * What was kept, as text. Invalid UTF-8 becomes U+FFFD; a character that the limit cut in two is
   * left out.
   */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(this.#bytes.subarray(0, this.#length), { stream: this.#truncated });
  }

  /** What was kept, as it came. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const size = Math.min(this.#limit, Math.max(needed, this.#bytes.length * 2, 4096));
    const grown = Buffer.allocUnsafe(size);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
