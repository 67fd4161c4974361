/** Bytes that wait longer than this, in milliseconds, wait for a server that has stopped reading. */
const BLOCKED_MS = 5_000;
/** A server that has answered pings, or acknowledged bytes, owes the next no longer than this. */
const SILENT_MS = 8_000;
/** Bytes after which the server is asked to acknowledge what it got. */
export const ACKNOWLEDGE_EVERY = 64 * 1024;

/**
 * Notices a server that is connected and does nothing any more. Three signs: what was written is
 * not taken, which shows late, when all buffers between are full; pings that are no longer
 * answered; and bytes that are no longer acknowledged. The last two count with servers that did
 * so before, for not every one does.
 */
export class Pulse {
  readonly #now: () => number;
  /** When the writes began that have not been taken yet, oldest first. */
  readonly #pending: number[] = [];
  #answeredAt: number | undefined;
  #sent = 0;
  /** What had been sent, and when, at the last acknowledgement. */
  #acknowledged = { sent: 0, at: 0 };
  /** The server acknowledges as often as it was asked to. */
  #isPrompt = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** So many bytes are written; the function returned is to be called when they have been taken. */
  sending(bytes: number): () => void {
    this.#sent += bytes;
    this.#pending.push(this.#now());
    // A stream's writes are taken in order.
    return () => void this.#pending.shift();
  }

  /** A ping was answered. */
  answered(): void {
    this.#answeredAt = this.#now();
  }

  acknowledged(): void {
    if (this.#sent - this.#acknowledged.sent < 3 * ACKNOWLEDGE_EVERY) this.#isPrompt = true;
    this.#acknowledged = { sent: this.#sent, at: this.#now() };
  }

  /** Why the server is to be given up, or undefined. */
  silence(): string | undefined {
    const now = this.#now();
    const [oldest] = this.#pending;
    if (oldest !== undefined && now - oldest > BLOCKED_MS) return 'it has stopped reading';
    const isSilent = this.#answeredAt !== undefined && now - this.#answeredAt > SILENT_MS;
    if (isSilent) return 'it has stopped answering';
    const { sent, at } = this.#acknowledged;
    const owes = this.#isPrompt && this.#sent - sent > 4 * ACKNOWLEDGE_EVERY;
    return owes && now - at > SILENT_MS ? 'it has stopped acknowledging' : undefined;
  }
}
