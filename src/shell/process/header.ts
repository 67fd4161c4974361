import { deferred } from '../../lib/async/deferred.js';

/** The longest first line that the bootstrap writes. */
const LONGEST = 32;

/** Reads the bootstrap's first line from the start of a stream and passes the rest on. */
export class HeaderReader {
  readonly #onRest: (chunk: Buffer) => void;
  readonly #arrived = deferred<void>();
  #line: string | undefined;
  #partial = '';
  #failed = false;

  constructor(onRest: (chunk: Buffer) => void) {
    this.#onRest = onRest;
  }

  /** Resolves when the line has arrived. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }

  /** The line without its line ending; undefined until it has arrived. */
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
    // Not printed by the bootstrap: there is no header, and this is not a command's output.
    if (this.#partial.length > LONGEST) this.#failed = true;
    if (end === -1 || this.#failed) return;
    this.#line = this.#partial.trim();
    this.#arrived.resolve();
    if (end + 1 < chunk.length) this.#onRest(chunk.subarray(end + 1));
  }
}
