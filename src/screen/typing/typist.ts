import { ApiError } from '../../contract/errors.js';
import type { Keyboard } from '../keyboard/keyboard.js';
import { Keysym, keysymOf } from '../keyboard/keysyms.js';
import { onLayout } from '../keyboard/scancodes.js';
import type { Connection } from '../rfb/connection.js';
import { pause, within } from '../wait.js';
import { GuestClipboard } from './guest-clipboard.js';
import { planSlowly, planTyping, type Step } from './plan.js';

export interface TypeOptions {
  /** Milliseconds between two characters. */
  readonly delayMs?: number;
  readonly signal?: AbortSignal;
}

/** Characters between two round trips to the server: it is never far behind. */
const CHUNK = 250;
/** Milliseconds that a program has to ask for what is pasted. */
const PASTE_TIMEOUT_MS = 2500;
/**
 * How long a program is left alone after a paste before the clipboard changes again, in
 * milliseconds. Chromium pastes the text of the time before when the clipboard changes while it
 * is still at the last one; that it has painted shows that it is done. A program that took long
 * to ask takes long to finish, so the least is a multiple of that.
 */
const DIGEST = { least: 3, timesLatency: 2, most: 120 } as const;
/**
 * Xvnc has room for some 19 characters that its keymap lacks, in all its life, and then drops
 * them without a word; so no connection may use up more than a few.
 */
const MAX_NEW_KEYSYMS = 6;

/** Types any text that the guest's display server, as announced, can take. */
export class Typist {
  readonly #connection: Connection;
  readonly #keyboard: Keyboard;
  readonly #clipboard: GuestClipboard;
  readonly #firstDamage: (timeoutMs: number, signal?: AbortSignal) => Promise<void>;
  readonly #newKeysyms = new Set<number>();
  /** Resolves when the last paste has been digested. */
  #digested: Promise<void> = Promise.resolve();

  /** `firstDamage` resolves when the screen changes, or when its time is over. */
  constructor(
    connection: Connection,
    keyboard: Keyboard,
    firstDamage: (timeoutMs: number, signal?: AbortSignal) => Promise<void>,
  ) {
    this.#connection = connection;
    this.#keyboard = keyboard;
    this.#firstDamage = firstDamage;
    this.#clipboard = new GuestClipboard(connection);
  }

  /** Types `text` exactly; resolves when the server has taken it. Throws before the first key if it cannot. */
  async type(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    const steps = delayMs > 0 ? planSlowly(text) : planTyping(text);
    const pasting = steps.some((step) => step.kind === 'paste');
    if (pasting) this.#requirePaste(steps);
    if (pasting) await this.#clipboard.remember(signal);
    try {
      for (const [index, step] of steps.entries()) {
        if (index > 0 && delayMs > 0) await pause(delayMs, signal);
        await (step.kind === 'keys' ? this.#keys(step.text, signal) : this.#paste(step, signal));
      }
    } finally {
      if (pasting) {
        await this.#digested;
        this.#clipboard.giveBack();
      }
    }
  }

  #requirePaste(steps: readonly Step[]): void {
    const { fences, clipboard } = this.#connection.can;
    if (fences && clipboard) return;
    const culprit = steps.find((step) => step.kind === 'paste')?.text ?? '';
    throw new ApiError(
      'unsupported',
      `text: "${shortened(culprit)}" is not on this computer's US keyboard; write it to a file or use a command instead`,
    );
  }

  async #keys(text: string, signal?: AbortSignal): Promise<void> {
    const { writer } = this.#keyboard;
    if (writer.paceMs > 0) return this.#pacedKeys(text, signal);
    for (let start = 0; start < text.length; start += CHUNK) {
      signal?.throwIfAborted();
      const messages = [...text.slice(start, start + CHUNK)].flatMap((character) => {
        const keysym = keysymOf(character);
        return [writer.press(keysym), writer.release(keysym)];
      });
      this.#connection.send(Buffer.concat(messages));
      await this.#connection.flush(signal);
    }
  }

  async #pacedKeys(text: string, signal?: AbortSignal): Promise<void> {
    for (const character of text) {
      await this.#keyboard.tap([keysymOf(character)], signal);
    }
    await this.#connection.flush(signal);
  }

  /**
   * Pastes with Shift+Insert, which terminals take for PRIMARY and other programs for CLIPBOARD.
   * The server's request shows that the program has asked; once the answer is there, whatever
   * is sent later reaches the program later.
   */
  async #paste({ text }: Step, signal?: AbortSignal): Promise<void> {
    await this.#digested;
    signal?.throwIfAborted();
    const { asked } = this.#clipboard.offer(text);
    const start = performance.now();
    await this.#keyboard.tap([Keysym.shiftLeft, Keysym.insert], signal);
    const refused = new Error('nothing asked for the clipboard');
    const limits = { timeoutMs: PASTE_TIMEOUT_MS, signal, onTimeout: () => refused };
    try {
      await within(asked, limits);
    } catch (error) {
      if (error !== refused) throw error;
      return this.#asNewKeysyms(text, signal);
    }
    this.#digested = this.#digest(performance.now() - start);
    await this.#connection.flush(signal);
  }

  /** Never rejects: what ends the connection shows elsewhere. */
  async #digest(latencyMs: number): Promise<void> {
    const least = Math.max(DIGEST.least, latencyMs * DIGEST.timesLatency);
    await Promise.all([
      this.#firstDamage(DIGEST.most).catch(() => {}),
      pause(Math.min(least, DIGEST.most)),
    ]);
  }

  /** For programs that know no paste key: a few characters can be added to the server's keymap. */
  async #asNewKeysyms(text: string, signal?: AbortSignal): Promise<void> {
    const keysyms = [...text.normalize('NFC')].map(keysymOf);
    const added = new Set([...this.#newKeysyms, ...keysyms.filter((keysym) => !onLayout(keysym))]);
    if (added.size > MAX_NEW_KEYSYMS) {
      throw new ApiError(
        'unsupported',
        `text: the window in focus took no paste, so "${shortened(text)}" could not be typed; click into a text field first, or write it to a file`,
      );
    }
    for (const keysym of keysyms) {
      await this.#keyboard.tap([keysym], signal);
      this.#newKeysyms.add(keysym);
    }
    await this.#connection.flush(signal);
  }
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= 20 ? text : `${characters.slice(0, 20).join('')}…`;
}
