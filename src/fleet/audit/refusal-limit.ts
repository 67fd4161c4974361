/** Refusals of a holder of keys that are written at once. */
const BURST = 100;
/** After those, one more is written in this time, in milliseconds: 13,000 in 90 days. */
const REFILL_MS = 10 * 60_000;
/** Holders that are counted at once. */
const MOST_HOLDERS = 10_000;

interface Count {
  left: number;
  at: number;
  leftOut: number;
}

/** The outcomes of what was refused for who asked, not for what was asked. */
const REFUSALS: readonly string[] = ['forbidden', 'controlled'];

export function isRefusal(outcome: string): boolean {
  return REFUSALS.includes(outcome);
}

/**
 * How many refusals of each holder of keys are written into the audit log: a program that is refused
 * and repeats its requests must not push out the other entries of its owner.
 */
export class RefusalLimit {
  readonly #counts = new Map<string, Count>();

  /** The refusals that were left out since the last one written; undefined to leave this one out. */
  admit(holder: string, now = performance.now()): number | undefined {
    const count = this.#counts.get(holder) ?? { left: BURST, at: now, leftOut: 0 };
    // The latest is last, so that the oldest are forgotten first.
    this.#counts.delete(holder);
    this.#counts.set(holder, count);
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size > MOST_HOLDERS) this.#counts.delete(oldest);
    count.left = Math.min(BURST, count.left + (now - count.at) / REFILL_MS);
    count.at = now;
    if (count.left < 1) {
      count.leftOut += 1;
      return undefined;
    }
    count.left -= 1;
    const { leftOut } = count;
    count.leftOut = 0;
    return leftOut;
  }
}
