import {
  type ClipboardMessage,
  clipboardForget,
  clipboardNotify,
  clipboardProvide,
  clipboardRequest,
} from '../rfb/clipboard.js';
import type { Connection } from '../rfb/connection.js';
import { type Deferred, deferred, within } from '../wait.js';

/** Milliseconds until a program that owns the guest's clipboard is given up. */
const READ_TIMEOUT_MS = 300;

/**
 * The guest's clipboard (X: CLIPBOARD and PRIMARY both) over the Extended Clipboard. Lends it a
 * text, hears when a program asks for that text, and gives back afterwards what was there.
 */
export class GuestClipboard {
  readonly #connection: Connection;
  /** A program in the guest has put something there since this client last did. */
  #guestHas = false;
  /** What this client gives when asked; undefined when it offers nothing. */
  #offer: string | undefined;
  /** What to give back: the text that was there before the first paste. */
  #before: string | undefined;
  #asked: Deferred<void> | undefined;
  #withheld = false;
  #packed: { readonly text: string; readonly data: Buffer } | undefined;
  #read: Deferred<string | undefined> | undefined;

  /** Somebody wants to know what programs in the guest copy. */
  listening = false;
  /** Called with a text that a program in the guest copied, while {@link listening}. */
  onCopied: (text: string) => void = () => {};

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.on('clipboard', (message) => this.#onMessage(message));
    connection.on('close', () => this.#read?.resolve(undefined));
  }

  /** Puts a text there to stay, until a program or this client puts another. */
  put(text: string): void {
    this.#guestHas = false;
    this.#before = text;
    this.#offer = text;
    this.#withheld = false;
    this.#connection.send(clipboardNotify());
  }

  /** Remembers the guest's text, so that {@link giveBack} can restore it. */
  async remember(signal?: AbortSignal): Promise<void> {
    if (!this.#guestHas) return;
    const read = deferred<string | undefined>();
    this.#read = read;
    this.#connection.send(clipboardRequest());
    const gaveUp = () => new Error('the clipboard was not read');
    this.#before = await within(read.promise, {
      timeoutMs: READ_TIMEOUT_MS,
      onTimeout: gaveUp,
      signal,
    }).catch(() => undefined);
    signal?.throwIfAborted();
    this.#read = undefined;
  }

  /**
   * Takes the clipboard over, but gives nothing before {@link asked} is called. Resolves when the
   * server has taken it: a request that comes until then is none of the program that is about to
   * be told to paste. TigerVNC asks by itself, for its own cache, when it takes the clipboard
   * from a program (vncMaybeRequestCache); with the text in that cache it would never ask again.
   */
  async offer(text: string, signal?: AbortSignal): Promise<void> {
    this.#guestHas = false;
    this.#offer = text;
    this.#withheld = true;
    this.#connection.send(clipboardNotify());
    await this.#connection.flush(signal);
  }

  /** Resolves when a program wants the text that was offered; it is given then. */
  asked(): Promise<void> {
    this.#withheld = false;
    this.#asked = deferred<void>();
    return this.#asked.promise;
  }

  /** Takes the text back that nobody asked for; resolves when the server gives it to none any more. */
  async withdraw(signal?: AbortSignal): Promise<void> {
    this.#withheld = true;
    this.#connection.send(clipboardForget());
    await this.#connection.flush(signal);
  }

  /** Ends the offer: the text from before is there again, or nothing. */
  giveBack(): void {
    this.#asked = undefined;
    this.#withheld = false;
    if (!this.#connection.isOpen || this.#offer === undefined) return;
    if (this.#guestHas) return;
    this.#offer = this.#before;
    this.#connection.send(this.#offer === undefined ? clipboardForget() : clipboardNotify());
  }

  /** Packed once, however often the guest asks for it. */
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
      this.#guestHas = message.available;
      if (message.available) this.#before = undefined;
      if (message.available && this.listening) this.#connection.send(clipboardRequest());
    } else if (message.kind === 'provide') {
      this.#read?.resolve(message.text);
      if (this.listening) this.onCopied(message.text);
    }
  }
}
