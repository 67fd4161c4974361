import { CappedOutput } from '../../../lib/streams/capped-output.js';

/** A JSON object that has not been validated. */
export type Message = Readonly<Record<string, unknown>>;

/** Added to the size of each line for the rate limit: a line that fails to parse takes 20 µs. */
export const LINE_BYTES = 256;

/**
 * Parses a byte stream of JSON objects, one per line. Skips other lines, and lines longer than
 * `limit` bytes without buffering the rest, because the peer may be a guest.
 */
export class JsonLineReader {
  readonly #limit: number;
  readonly #onMessage: (message: Message) => void;
  readonly #allow: (bytes: number) => boolean;
  #line: CappedOutput;

  /** @param allow is asked before bytes are read; false stops the reader for good */
  constructor(
    limit: number,
    onMessage: (message: Message) => void,
    allow: (bytes: number) => boolean = () => true,
  ) {
    this.#limit = limit;
    this.#onMessage = onMessage;
    this.#allow = allow;
    this.#line = new CappedOutput(limit);
  }

  /** False if the rest was not read. */
  read(chunk: Buffer): boolean {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(0x0a, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      if (!this.#allow(part.length + (end === -1 ? 0 : LINE_BYTES))) return false;
      this.#line.write(part);
      if (end === -1) return true;
      this.#finish();
      from = end + 1;
    }
    return true;
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
