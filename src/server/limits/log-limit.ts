/** Lines at once, and per minute after that. */
const BURST = 60;
const PER_MINUTE = 60;

/** Limits the log lines that anyone can cause without a key. */
export class LogLimit {
  #room = BURST;
  #at = performance.now();
  #left = 0;

  /** Whether a line may be written; if so, the number of lines left out before it. */
  take(now = performance.now()): { readonly omitted: number } | undefined {
    this.#room = Math.min(BURST, this.#room + ((now - this.#at) / 60_000) * PER_MINUTE);
    this.#at = now;
    if (this.#room < 1) {
      this.#left += 1;
      return undefined;
    }
    this.#room -= 1;
    const omitted = this.#left;
    this.#left = 0;
    return { omitted };
  }
}
