import { CappedOutput } from '../../lib/streams/capped-output.js';

const LENGTH_DIGITS = 8;
/** The driver sends at most 32 Ki characters of text. */
const MOST_REPORT = 256 * 1024;

/** Extracts the Python driver's report from standard error, and passes everything else on. */
export class PythonReport {
  readonly #marker: Buffer;
  readonly #onOutput: (chunk: Buffer) => void;
  /** Bytes that may be the beginning of the marker. */
  #held: Buffer = Buffer.alloc(0);
  #body: { readonly length: number; readonly text: CappedOutput; read: number } | undefined;

  constructor(marker: string, onOutput: (chunk: Buffer) => void) {
    this.#marker = Buffer.from(marker, 'latin1');
    this.#onOutput = onOutput;
  }

  /** The exception, if a complete report has arrived. */
  get error(): { type: string; text: string } | undefined {
    if (this.#body === undefined || this.#body.read < this.#body.length) return undefined;
    const text = this.#body.text.text();
    const end = text.indexOf('\n');
    return { type: text.slice(0, end), text: text.slice(end + 1) };
  }

  write(chunk: Buffer): void {
    if (this.#body) this.#take(chunk);
    else this.#search(chunk);
  }

  /** Call at the end of the stream: passes on what was held back. */
  end(): void {
    if (this.#held.length > 0) this.#onOutput(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #search(chunk: Buffer): void {
    const data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    const at = data.indexOf(this.#marker);
    const start = at + this.#marker.length;
    this.#passOn(data, at === -1 ? data.length - this.#beginning(data) : at);
    if (at === -1 || data.length < start + LENGTH_DIGITS) return;
    const length = Number.parseInt(data.toString('latin1', start, start + LENGTH_DIGITS), 16);
    this.#held = Buffer.alloc(0);
    this.#body = { length, text: new CappedOutput(MOST_REPORT), read: 0 };
    this.#take(data.subarray(start + LENGTH_DIGITS));
  }

  /** How many bytes at the end of `data` may be the beginning of the marker. */
  #beginning(data: Buffer): number {
    let length = Math.min(data.length, this.#marker.length - 1);
    while (!data.subarray(data.length - length).equals(this.#marker.subarray(0, length))) {
      length -= 1;
    }
    return length;
  }

  /** Passes on the first `count` bytes and holds back the rest. */
  #passOn(data: Buffer, count: number): void {
    if (count > 0) this.#onOutput(data.subarray(0, count));
    this.#held = Buffer.from(data.subarray(count));
  }

  #take(chunk: Buffer): void {
    if (this.#body === undefined) return;
    const rest = this.#body.length - this.#body.read;
    const taken = chunk.subarray(0, Math.max(0, rest));
    this.#body.text.write(taken);
    this.#body.read += taken.length;
    if (taken.length < chunk.length) this.#onOutput(chunk.subarray(taken.length));
  }
}
