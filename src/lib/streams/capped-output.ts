/** Keeps the first `limit` bytes of a stream and drops the rest. */
export class CappedOutput {
  #limit: number;
  #bytes = new Uint8Array(0);
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** Copies the chunk, which may be a view of a much larger buffer. */
  write(chunk: Uint8Array): void {
    const taken = Math.min(chunk.length, this.#limit - this.#length);
    if (taken < chunk.length) this.#truncated = true;
    if (taken === 0) return;
    this.#reserve(this.#length + taken);
    this.#bytes.set(chunk.subarray(0, taken), this.#length);
    this.#length += taken;
  }

  /** Drops the kept bytes and all later ones. */
  discard(): void {
    this.#limit = 0;
    this.#length = 0;
    this.#bytes = new Uint8Array(0);
  }

  /**
   * The kept bytes as text. Invalid UTF-8 becomes U+FFFD; a character cut by the limit is omitted.
   */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return decoder.decode(this.#bytes.subarray(0, this.#length), { stream: this.#truncated });
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const size = Math.min(this.#limit, Math.max(needed, this.#bytes.length * 2, 4096));
    const grown = new Uint8Array(size);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
