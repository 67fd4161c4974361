import { ApiError } from '../../contract/errors.js';
import type { Keyboard } from '../keyboard/keyboard.js';
import { Keysym, keysymOf } from '../keyboard/keysyms.js';
import { onLayout } from '../keyboard/scancodes.js';
import type { Connection } from '../rfb/connection.js';
import type { Settling } from '../settle.js';
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
/**
 * Milliseconds that a program has to ask for what is pasted, by what else can be done. Emulated, a
 * program that is new to the clipboard takes several seconds.
 */
const PASTE_TIMEOUT_MS = {
  native: { otherwiseKeys: 2_500, otherwiseNothing: 8_000 },
  emulated: { otherwiseKeys: 12_000, otherwiseNothing: 18_000 },
} as const;

/** How fast a guest's programs are: as the host's, or several times as slow. */
export type Pace = keyof typeof PASTE_TIMEOUT_MS;

/** What runs on a screen: programs of X's own, or Windows programs by Wine. */
export type Programs = 'x11' | 'wine';

export interface TypistOptions {
  readonly pace: Pace;
  readonly programs: Programs;
}

/**
 * How long each of two offers of the clipboard is left to reach Wine's programs, in milliseconds:
 * as many times what the last paste took, within bounds. They hear of it from the program that
 * holds their desktop, some 2 ms later where a processor is free; one that pastes before that
 * pastes the text of before, and asks nobody. The second offer is for a first one that came while
 * a program still had the clipboard open: Wine leaves that one out (request_selection_contents).
 */
const PROPAGATION = {
  native: { least: 50, timesLatency: 4, most: 400 },
  emulated: { least: 300, timesLatency: 2, most: 1_000 },
} as const;
/**
 * How long a program is left alone between a paste and the next change of the clipboard, in
 * milliseconds. Chromium pastes the text of the time before when the clipboard changes while it
 * is still at the last one. That it has painted shows that it is done, once what was typed
 * before has been painted: hence the quiet, which is the longer the longer it took to ask.
 */
const DIGEST = { paint: 400, quietLeast: 3, quietMost: 40, timesLatency: 4, most: 400 } as const;
/**
 * Xvnc has room for some 19 characters that its keymap lacks, in all its life, and then drops
 * them without a word; so no connection may use up more than a few.
 */
const MAX_NEW_KEYSYMS = 6;

/** Types any text that the guest's display server, as announced, can take. */
export class Typist {
  readonly #connection: Connection;
  readonly #keyboard: Keyboard;
  readonly clipboard: GuestClipboard;
  readonly #settling: Settling;
  readonly #pace: Pace;
  readonly #programs: Programs;
  readonly #newKeysyms = new Set<number>();
  /** Resolves when the screen has changed since the last paste. */
  #painted: Promise<void> = Promise.resolve();
  /** Milliseconds that the last paste took to be asked for. */
  #latencyMs = 5;

  constructor(
    connection: Connection,
    keyboard: Keyboard,
    settling: Settling,
    { pace, programs }: TypistOptions,
  ) {
    this.#pace = pace;
    this.#programs = programs;
    this.#connection = connection;
    this.#keyboard = keyboard;
    this.#settling = settling;
    this.clipboard = new GuestClipboard(connection);
  }

  /** Types `text` exactly; resolves when the server has taken it. Throws before the first key if it cannot. */
  async type(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    const steps = delayMs > 0 ? planSlowly(text) : planTyping(text);
    const pasting = steps.some((step) => step.kind === 'paste');
    if (pasting) this.#requirePaste(steps);
    if (pasting) await this.clipboard.remember(signal);
    try {
      for (const [index, step] of steps.entries()) {
        if (index > 0 && delayMs > 0) await pause(delayMs, signal);
        await (step.kind === 'keys' ? this.#keys(step.text, signal) : this.#paste(step, signal));
      }
    } finally {
      if (pasting) {
        await this.#digest();
        this.clipboard.giveBack();
      }
    }
  }

  #requirePaste(steps: readonly Step[]): void {
    const { fences, clipboard } = this.#connection.can;
    if (fences && clipboard) return;
    const culprit = steps.find((step) => step.kind === 'paste')?.text ?? '';
    throw new ApiError(
      'unsupported',
      `text: "${shortened(culprit)}" is not on this computer's US keyboard, and its screen takes no other text; where it has a shell, write a file or use a command`,
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
    await this.#digest();
    signal?.throwIfAborted();
    await this.#offer(text, signal);
    const asked = this.clipboard.asked();
    const start = performance.now();
    await this.#keyboard.tap([Keysym.shiftLeft, Keysym.insert], signal);
    const refused = new Error('nothing asked for the clipboard');
    const { otherwiseKeys, otherwiseNothing } = PASTE_TIMEOUT_MS[this.#pace];
    const timeoutMs = this.#asKeys(text) ? otherwiseKeys : otherwiseNothing;
    const limits = { timeoutMs, signal, onTimeout: () => refused };
    try {
      await within(asked, limits);
    } catch (error) {
      if (error !== refused) throw error;
      // Whoever comes to it later finds no clipboard, but the keys that follow.
      await this.clipboard.withdraw(signal);
      return this.#asNewKeysyms(text, signal);
    }
    this.#latencyMs = performance.now() - start;
    this.#painted = this.#settling.firstDamage(DIGEST.paint).catch(() => {});
    await this.#connection.flush(signal);
  }

  /** Resolves when a program that is told to paste gets this text. */
  async #offer(text: string, signal?: AbortSignal): Promise<void> {
    await this.clipboard.offer(text, signal);
    if (this.#programs !== 'wine') return;
    const { least, timesLatency, most } = PROPAGATION[this.#pace];
    const ms = Math.min(most, Math.max(least, this.#latencyMs * timesLatency));
    await pause(ms, signal);
    await this.clipboard.offer(text, signal);
    await pause(ms, signal);
  }

  /** Never rejects: what ends the connection shows elsewhere. */
  async #digest(): Promise<void> {
    await this.#painted;
    const { quietLeast, quietMost, timesLatency, most } = DIGEST;
    const quiet = Math.max(quietLeast, Math.min(quietMost, this.#latencyMs * timesLatency));
    await this.#settling.quiet(quiet, most).catch(() => {});
  }

  /**
   * The keysyms to type `text` with; undefined when it takes more new ones than can be added.
   * Wine's programs learn no new ones.
   */
  #asKeys(text: string): number[] | undefined {
    if (this.#programs === 'wine') return undefined;
    const keysyms = [...text.normalize('NFC')].map(keysymOf);
    const added = new Set([...this.#newKeysyms, ...keysyms.filter((keysym) => !onLayout(keysym))]);
    return added.size > MAX_NEW_KEYSYMS ? undefined : keysyms;
  }

  /** For programs that know no paste key: a few characters can be added to the server's keymap. */
  async #asNewKeysyms(text: string, signal?: AbortSignal): Promise<void> {
    const keysyms = this.#asKeys(text);
    if (keysyms === undefined) {
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
