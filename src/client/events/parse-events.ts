/** A block of an event stream (WHATWG HTML, 9.2.6). One without data is not an event. */
export interface EventBlock {
  readonly type: string;
  /** Undefined if the block does not change it. */
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Longest line, and the longest data of an event, in UTF-16 units. */
const LONGEST = 1024 * 1024;

/** Parses the blocks of an event stream; an incomplete one at its end is dropped. */
export async function* parseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock> {
  const decoder = new TextDecoder();
  let rest = '';
  let block = new Block();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) throw new RangeError('a line of the event stream is too long');
    for (const line of lines) {
      if (line !== '') {
        block.add(line);
        continue;
      }
      if (block.isEmpty) continue;
      yield block.end();
      block = new Block();
    }
  }
}

class Block {
  #type = 'message';
  #id: string | undefined;
  #data: string | undefined;

  get isEmpty(): boolean {
    return this.#id === undefined && this.#data === undefined;
  }

  add(line: string): void {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'event') this.#type = value;
    else if (name === 'id') this.#id = value;
    else if (name === 'data') {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > LONGEST) throw new RangeError('an event of the stream is too long');
    }
  }

  end(): EventBlock {
    return { type: this.#type, id: this.#id, data: this.#data };
  }
}
