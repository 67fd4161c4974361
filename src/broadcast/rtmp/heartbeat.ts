/** Milliseconds after which a blocked write means that the server has stopped reading. */
const BLOCKED_MS = 5_000;
/** Longest pause between two pongs, or two acknowledgements, of a server that sends them. */
const SILENT_MS = 8_000;
/** The acknowledgement window that the server is asked to use, in bytes. */
export const ACKNOWLEDGE_EVERY = 64 * 1024;

/**
 * Detects a server that is connected but hangs: writes block (noticed late, when all buffers are
 * full), pings are no longer answered, or bytes are no longer acknowledged. The last two count
 * only for servers that did so before, because not every server does.
 */
export class Heartbeat {
  readonly #now: () => number;
  /** Start times of the pending writes, oldest first. */
  readonly #pending: number[] = [];
  #answeredAt: number | undefined;
  #sent = 0;
  /** Bytes sent, and the time, at the last acknowledgement. */
  #acknowledged = { sent: 0, at: 0 };
  /** Whether the server acknowledges as often as requested. */
  #isPrompt = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call when writing `bytes`; call the returned function when the write has completed. */
  sending(bytes: number): () => void {
    this.#sent += bytes;
    this.#pending.push(this.#now());
    // Writes complete in order.
    return () => void this.#pending.shift();
  }

  /** Call when a ping was answered. */
  answered(): void {
    this.#answeredAt = this.#now();
  }

  acknowledged(): void {
    if (this.#sent - this.#acknowledged.sent < 3 * ACKNOWLEDGE_EVERY) this.#isPrompt = true;
    this.#acknowledged = { sent: this.#sent, at: this.#now() };
  }

  /** Why the server counts as hung, or undefined. */
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
