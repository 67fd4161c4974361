import { abortable } from '../../lib/async/abort.js';
import { within } from '../../lib/async/deadline.js';
import { type Deferred, deferred } from '../../lib/async/deferred.js';
import { TokenBucket } from '../../lib/async/token-bucket.js';
import {
  type ClipboardMessage,
  clipboardForget,
  clipboardNotify,
  clipboardProvide,
  clipboardRequest,
} from '../rfb/clipboard.js';
import type { Connection } from '../rfb/connection.js';
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

/** Milliseconds to wait for the program that owns the guest's clipboard, before a paste. */
const READ_TIMEOUT_MS = 300;

/**
 * The guest's clipboard (both CLIPBOARD and PRIMARY in X) over the Extended Clipboard encoding.
 * Offers a text temporarily, reports when a program requests it, and restores the previous text.
 */
export class GuestClipboard {
  readonly #connection: Connection;
  /** Whether it is known who owns the clipboard. */
  #isKnown = false;
  /** A program in the guest owns the clipboard. */
  #guestHas = false;
  /** The text this client offers, if any. */
  #offer: string | undefined;
  /** The text to restore: the one from before the first paste. */
  #before: string | undefined;
  #asked: Deferred<void> | undefined;
  #withheld = false;
  #packed: { readonly text: string; readonly data: Buffer } | undefined;
  #read: Deferred<string | undefined> | undefined;

  /** Whether to fetch what programs in the guest copy, for {@link copied}. */
  listening = false;
  readonly copied = new CopiedTexts();

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.on('clipboard', (message) => this.#onMessage(message));
    connection.on('close', () => {
      this.#read?.resolve(undefined);
      this.copied.close();
    });
  }

  /** Sets the clipboard's text until a program or this client replaces it. */
  put(text: string): void {
    this.#isKnown = true;
    this.#guestHas = false;
    this.#before = text;
    this.#offer = text;
    this.#withheld = false;
    this.#connection.send(clipboardNotify());
  }

  /** True while the guest's clipboard has a text of this client, which ends with its connection. */
  get holdsText(): boolean {
    return this.#offer !== undefined && !this.#guestHas;
  }

  /**
   * The text that a program in the guest, or this client, has copied; empty if there is none.
   * Undefined if that is not known: the server announces only what is copied while it has a client.
   */
  async text(signal?: AbortSignal): Promise<string | undefined> {
    // Announcements up to now come before the answer to this.
    await this.#connection.flush(signal);
    if (!this.#guestHas) return this.#isKnown ? (this.#offer ?? '') : undefined;
    this.#read ??= deferred<string | undefined>();
    const read = this.#read;
    this.#connection.send(clipboardRequest());
    try {
      return await abortable(read.promise, signal);
    } finally {
      if (this.#read === read) this.#read = undefined;
    }
  }

  /** Saves the guest's text for {@link giveBack}. */
  async remember(signal?: AbortSignal): Promise<void> {
    if (!this.#guestHas) return;
    const read = deferred<string | undefined>();
    this.#read = read;
    this.#connection.send(clipboardRequest());
    const gaveUp = () => new Error('the clipboard was not read');
    this.#before = await within(read.promise, {
      ms: READ_TIMEOUT_MS,
      onTimeout: gaveUp,
      signal,
    }).catch(() => undefined);
    signal?.throwIfAborted();
    this.#read = undefined;
  }

  /**
   * Takes ownership of the clipboard, but withholds the text until {@link asked} is called.
   * Resolves when the server has processed the offer. Requests before that do not come from the
   * program that is about to paste: TigerVNC requests the text for its own cache when it takes
   * the clipboard from a program (vncMaybeRequestCache), and with the text cached it would never
   * request it again.
   */
  async offer(text: string, signal?: AbortSignal): Promise<void> {
    this.#guestHas = false;
    this.#offer = text;
    this.#withheld = true;
    this.#connection.send(clipboardNotify());
    await this.#connection.flush(signal);
  }

  /** Stops withholding the text. Resolves when a program has requested it. */
  asked(): Promise<void> {
    this.#withheld = false;
    this.#asked = deferred<void>();
    return this.#asked.promise;
  }

  /** Withdraws the offered text; resolves when the server no longer offers it. */
  async withdraw(signal?: AbortSignal): Promise<void> {
    this.#withheld = true;
    this.#connection.send(clipboardForget());
    await this.#connection.flush(signal);
  }

  /** Ends the offer and restores the previous text, if any. */
  giveBack(): void {
    this.#asked = undefined;
    this.#withheld = false;
    if (!this.#connection.isOpen || this.#offer === undefined) return;
    if (this.#guestHas) return;
    this.#offer = this.#before;
    this.#connection.send(this.#offer === undefined ? clipboardForget() : clipboardNotify());
  }

  /** Cached, because the guest may request the same text several times. */
  #packedOffer(): Buffer {
    const text = this.#offer ?? '';
    if (this.#packed?.text !== text) this.#packed = { text, data: clipboardProvide(text) };
    return this.#packed.data;
  }

  #onMessage(message: ClipboardMessage): void {
    if (message.kind === 'request') {
      if (this.#withheld) return;
      this.#connection.send(this.#packedOffer());
      this.#asked?.resolve();
    } else if (message.kind === 'notify') {
      this.#isKnown = true;
      this.#guestHas = message.available;
      if (message.available) this.#offer = undefined;
      if (message.available) this.#before = undefined;
      if (message.available && this.listening) this.#connection.send(clipboardRequest());
    } else if (message.kind === 'provide') {
      this.#read?.resolve(message.text);
      if (this.listening) this.copied.add(message.text);
    }
  }
}
