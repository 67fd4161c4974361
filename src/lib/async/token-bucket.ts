/** Allows `capacity` units at once and `perSecond` units per second after that. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #left: number;
  #filledAt = performance.now();

  constructor(capacity: number, perSecond: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#left = capacity;
  }

  /** Adds units, up to the capacity. */
  add(units: number): void {
    this.#left = Math.min(this.#capacity, this.#left + units);
  }

  /** Takes units. False if fewer were left; the debt is subtracted from later refills. */
  take(units: number): boolean {
    this.#left -= units;
    if (this.#left >= 0) return true;
    this.#refill();
    return this.#left >= 0;
  }

  /** Milliseconds until the debt is paid; 0 without one. */
  get debtMs(): number {
    if (this.#left < 0) this.#refill();
    return (Math.max(0, -this.#left) / this.#perSecond) * 1000;
  }

  #refill(): void {
    const now = performance.now();
    this.add(((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}

/** A bucket for lines or entries: counts those that it leaves out. */
export class SampledBucket {
  readonly #bucket: TokenBucket;
  #omitted = 0;

  constructor(capacity: number, perSecond: number) {
    this.#bucket = new TokenBucket(capacity, perSecond);
  }

  /** The number left out since the last one admitted; undefined to leave this one out. */
  admit(): number | undefined {
    if (!this.#bucket.take(1)) {
      this.#bucket.add(1);
      this.#omitted += 1;
      return undefined;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}
