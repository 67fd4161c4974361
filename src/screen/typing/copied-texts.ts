import { TokenBucket } from '../../lib/async/token-bucket.js';
import type { CopiedText } from '../types.js';

/** Characters that listeners get at once and per second after that. */
const CHARACTERS = 1024 * 1024;
/** What a text counts besides its characters. */
const PER_TEXT = 64 * 1024;

/**
 * Passes on the texts that programs in the guest copy. A guest can copy one after the other, and each
 * goes to every live view: those that come too fast wait, and only the latest of them is kept.
 */
export class CopiedTexts {
  readonly #bucket = new TokenBucket(CHARACTERS, CHARACTERS);
  #latest: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Called with each text that is passed on. */
  onCopied: (copied: CopiedText) => void = () => {};

  add(text: string): void {
    this.#latest = text;
    if (this.#timer === undefined) this.#passOn();
  }

  /** Drops the text that waits; idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#latest = undefined;
  }

  #passOn(): void {
    this.#timer = undefined;
    const text = this.#latest;
    if (text === undefined) return;
    const { debtMs } = this.#bucket;
    if (debtMs > 0) {
      this.#timer = setTimeout(() => this.#passOn(), Math.ceil(debtMs));
      return;
    }
    this.#latest = undefined;
    this.#bucket.take(text.length + PER_TEXT);
    this.onCopied({ text });
  }
}
