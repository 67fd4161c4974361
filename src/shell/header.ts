/** The longest first line that the bootstrap writes. */
const LONGEST = 32;

/** Takes the bootstrap's first line from the front of a stream and passes the rest on. */
export class HeaderReader {
  /** Resolves when the line is there. */
  readonly arrived: Promise<void>;
  readonly #onRest: (chunk: Buffer) => void;
  #arrive: () => void = () => undefined;
  #line: string | undefined;
  #partial = '';
  #failed = false;

  constructor(onRest: (chunk: Buffer) => void) {
    this.#onRest = onRest;
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  /** The line without its end; undefined as long as it has not come. */
  get line(): string | undefined {
    return this.#line;
  }

  write(chunk: Buffer): void {
    if (this.#line !== undefined) this.#onRest(chunk);
    else if (!this.#failed) this.#read(chunk);
  }

  #read(chunk: Buffer): void {
    const end = chunk.indexOf(10);
    this.#partial += chunk.toString('latin1', 0, end === -1 ? chunk.length : end);
    // Not our bootstrap: there will be no header, and nothing of this is a command's output.
    if (this.#partial.length > LONGEST) this.#failed = true;
    if (end === -1 || this.#failed) return;
    this.#line = this.#partial.trim();
    this.#arrive();
    if (end + 1 < chunk.length) this.#onRest(chunk.subarray(end + 1));
  }
}
