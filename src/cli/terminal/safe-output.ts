import { type Readable, Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { printable } from '../../lib/text/printable.js';

/** Replaces all characters of UTF-8 text that could control a terminal, except newline and tab. */
export class SafeText {
  readonly #decoder = new StringDecoder('utf8');
  /** A carriage return that may belong to a line end. */
  #held = '';

  write(bytes: Uint8Array): string {
    return this.#replace(this.#held + this.#decoder.write(Buffer.from(bytes)));
  }

  /** What is left of an incomplete character. */
  end(): string {
    return this.#replace(`${this.#held}${this.#decoder.end()}`, 'all');
  }

  #replace(text: string, part?: 'all'): string {
    const isOpen = part !== 'all' && text.endsWith('\r');
    this.#held = isOpen ? '\r' : '';
    const whole = (isOpen ? text.slice(0, -1) : text).replaceAll('\r\n', '\n');
    return whole.replaceAll(/[^\n\t]+/g, printable);
  }
}

/** A whole text as {@link SafeText} shows it. */
export function safeText(text: string): string {
  const safe = new SafeText();
  return safe.write(Buffer.from(text)) + safe.end();
}

/** Passes a stream on as {@link SafeText} shows it. */
export function safeTransform(): Transform {
  const text = new SafeText();
  return new Transform({
    transform: (chunk: Uint8Array, _, done) => done(null, text.write(chunk)),
    flush: (done) => done(null, text.end()),
  });
}

/** A stream as {@link SafeText} shows it. */
export function safeOutput(from: Readable): Readable {
  const shown = safeTransform();
  // A lost connection closes the stream without an end.
  from.once('close', () => shown.writableEnded || shown.end());
  return from.pipe(shown);
}
