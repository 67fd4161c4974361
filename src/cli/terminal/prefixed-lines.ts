/** Longer lines are broken, so that a program that prints no line end needs little memory. */
const MOST_LINE = 64 * 1024;

/** Puts a text in front of each line of an output, whose other bytes stay as they are. */
export class PrefixedLines {
  /** One character for each byte, as in all texts here: faster than to work on bytes. */
  readonly #prefix: string;
  #open = '';

  constructor(prefix: string) {
    this.#prefix = Buffer.from(prefix).toString('latin1');
  }

  /** The lines that are complete now. */
  write(bytes: Uint8Array): Buffer {
    const text = this.#open + Buffer.from(bytes).toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    const isLong = text.length - end > MOST_LINE;
    this.#open = isLong ? '' : text.slice(end);
    return this.#lines(isLong ? `${text}\n` : text.slice(0, end));
  }

  /** The last line, if it has no end. */
  end(): Buffer {
    const text = this.#open === '' ? '' : `${this.#open}\n`;
    this.#open = '';
    return this.#lines(text);
  }

  #lines(text: string): Buffer {
    if (text === '') return Buffer.alloc(0);
    const lines = text.slice(0, -1).split('\n').join(`\n${this.#prefix}`);
    return Buffer.from(`${this.#prefix}${lines}\n`, 'latin1');
  }
}
