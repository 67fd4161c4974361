/** A JSON object as it arrived: nothing of it is known yet. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * Takes a byte stream apart into JSON objects, one a line. What is no JSON object is left out, and
 * so is a line longer than `limit` bytes, which is never held in memory either: the other side of
 * such a stream may be a guest.
 */
export class JsonLineReader {
  readonly #limit: number;
  readonly #onMessage: (message: Message) => void;
  #parts: Buffer[] = [];
  #held = 0;
  #skipping = false;

  constructor(limit: number, onMessage: (message: Message) => void) {
    this.#limit = limit;
    this.#onMessage = onMessage;
  }

  read(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from);
      this.#hold(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#finish();
      from = end + 1;
    }
  }

  #hold(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#held += part.length;
    this.#parts.push(part);
    if (this.#held > this.#limit) {
      this.#skipping = true;
      this.#parts = [];
    }
  }

  #finish(): void {
    const line = Buffer.concat(this.#parts);
    const skipped = this.#skipping;
    this.#parts = [];
    this.#held = 0;
    this.#skipping = false;
    const message = skipped ? undefined : parse(line.toString('utf8'));
    if (message) this.#onMessage(message);
  }
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
