import { CappedOutput } from '../../../lib/streams/capped-output.js';

/** A JSON object that has not been validated. */
export type Message = Readonly<Record<string, unknown>>;

/**
 * Parses a byte stream of JSON objects, one per line. Skips other lines, and lines longer than
 * `limit` bytes without buffering the rest, because the peer may be a guest.
 */
export class JsonLineReader {
  readonly #limit: number;
  readonly #onMessage: (message: Message) => void;
  #line: CappedOutput;

  constructor(limit: number, onMessage: (message: Message) => void) {
    this.#limit = limit;
    this.#onMessage = onMessage;
    this.#line = new CappedOutput(limit);
  }

  read(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from);
      this.#line.write(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#finish();
      from = end + 1;
    }
  }

  #finish(): void {
    const line = this.#line;
    this.#line = new CappedOutput(this.#limit);
    const message = line.truncated ? undefined : parse(line.text());
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
