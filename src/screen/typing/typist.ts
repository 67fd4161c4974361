import { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import { sleep } from '../../lib/async/sleep.js';
import { composed } from '../../lib/text/composed.js';
import type { Keyboard } from '../input/keyboard/keyboard.js';
import { Keysym, keysymOf } from '../input/keyboard/keysyms.js';
import { onLayout } from '../input/keyboard/scancodes.js';
import type { Stability } from '../model/stability.js';
import type { Connection } from '../rfb/connection.js';
import { GuestClipboard } from './guest-clipboard.js';
import { planSlowly, planTyping, type Step } from './typing-plan.js';

export interface TypeOptions {
  /** Milliseconds between two characters. */
  readonly delayMs?: number;
  readonly signal?: AbortSignal;
}

/** Characters between two round trips to the server, which bound how far it can lag behind. */
const CHUNK = 250;
/**
 * Milliseconds to wait for a program to request the pasted text: less where the text could be
 * typed as keys instead. Under emulation, a program's first paste takes several seconds.
 */
const PASTE_TIMEOUT_MS = {
  native: { otherwiseKeys: 2_500, otherwiseNothing: 8_000 },
  emulated: { otherwiseKeys: 12_000, otherwiseNothing: 18_000 },
} as const;

/** Whether the guest's programs run at the host's speed or are several times slower. */
export type GuestSpeed = keyof typeof PASTE_TIMEOUT_MS;

/** What runs on a screen: X11 programs, Windows programs on Wine, or a whole operating system. */
export type Programs = 'x11' | 'wine' | 'native';

export interface TypistOptions {
  readonly speed: GuestSpeed;
  readonly programs: Programs;
}

/**
 * Milliseconds to wait after each of two clipboard offers until Wine's programs know of them: a
 * multiple of the last paste's latency, within bounds. Wine's desktop process forwards the offer
 * about 2 ms later on an idle processor; a program that pastes earlier pastes the previous text.
 * The offer is repeated because Wine ignores one that arrives while a program has the clipboard
 * open (request_selection_contents).
 */
const PROPAGATION = {
  native: { least: 50, timesLatency: 4, most: 400 },
  emulated: { least: 300, timesLatency: 3, most: 3_000 },
} as const;
/**
 * Milliseconds to wait between a paste and the next change of the clipboard. Chromium pastes the
 * wrong text when the clipboard changes while it still processes a paste. Painting shows that it
 * has finished, unless it paints earlier input: therefore the quiet time, which grows with latency.
 */
const DIGEST = { paint: 400, quietLeast: 3, quietMost: 40, timesLatency: 4, most: 400 } as const;
/**
 * Xvnc can add about 19 characters to its keymap in its lifetime and then silently drops further
 * ones, so each connection may add only a few.
 */
const MAX_NEW_KEYSYMS = 6;

/** Types text as keys or by pasting, depending on what the display server supports. */
export class Typist {
  readonly #connection: Connection;
  readonly #keyboard: Keyboard;
  readonly clipboard: GuestClipboard;
  readonly #stability: Stability;
  readonly #speed: GuestSpeed;
  readonly #programs: Programs;
  readonly #newKeysyms = new Set<number>();
  /** Resolves when the screen has changed since the last paste. */
  #painted: Promise<void> = Promise.resolve();
  /** Milliseconds until the last pasted text was requested. */
  #latencyMs = 5;

  constructor(
    connection: Connection,
    keyboard: Keyboard,
    stability: Stability,
    { speed, programs }: TypistOptions,
  ) {
    this.#speed = speed;
    this.#programs = programs;
    this.#connection = connection;
    this.#keyboard = keyboard;
    this.#stability = stability;
    this.clipboard = new GuestClipboard(connection);
  }

  /** Types `text` exactly; resolves when the server has processed it. Rejects before the first key if it cannot. */
  async type(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    const steps = delayMs > 0 ? planSlowly(text) : planTyping(text);
    signal?.throwIfAborted();
    const pasting = steps.some((step) => step.kind === 'paste');
    if (pasting) this.#requirePaste(steps);
    if (pasting) await this.clipboard.remember(signal);
    try {
      for (const [index, step] of steps.entries()) {
        if (index > 0 && delayMs > 0) await sleep(delayMs, signal);
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
      `text: "${shortened(culprit)}" is not on this computer's US keyboard, and its screen cannot paste.`,
      { remedy: 'Write the text to a file, or pass it to a command.' },
    );
  }

  async #keys(text: string, signal?: AbortSignal): Promise<void> {
    const { writer } = this.#keyboard;
    if (writer.keyIntervalMs > 0) return this.#pacedKeys(text, signal);
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
   * Pastes with Shift+Insert, which pastes PRIMARY in terminals and CLIPBOARD in other programs.
   * Once the server has received the requested text, later input reaches the program after it.
   */
  async #paste({ text }: Step, signal?: AbortSignal): Promise<void> {
    await this.#digest();
    signal?.throwIfAborted();
    await this.#offer(text, signal);
    const asked = this.clipboard.asked();
    const start = performance.now();
    await this.#keyboard.tap([Keysym.shiftLeft, Keysym.insert], signal);
    const refused = new Error('No program asked for the clipboard.');
    const { otherwiseKeys, otherwiseNothing } = PASTE_TIMEOUT_MS[this.#speed];
    const ms = this.#asKeys(text) ? otherwiseKeys : otherwiseNothing;
    const limits = { ms, signal, onTimeout: () => refused };
    try {
      await within(asked, limits);
    } catch (error) {
      if (error !== refused) throw error;
      // The text is now typed as keys: a late request must not paste it as well.
      await this.clipboard.withdraw(signal);
      return this.#asNewKeysyms(text, signal);
    }
    this.#latencyMs = performance.now() - start;
    this.#painted = this.#stability.firstDamage(DIGEST.paint).catch(() => {});
    await this.#connection.flush(signal);
  }

  /** Resolves when a program that pastes now receives this text. */
  async #offer(text: string, signal?: AbortSignal): Promise<void> {
    await this.clipboard.offer(text, signal);
    if (this.#programs !== 'wine') return;
    const { least, timesLatency, most } = PROPAGATION[this.#speed];
    const ms = Math.min(most, Math.max(least, this.#latencyMs * timesLatency));
    await sleep(ms, signal);
    await this.clipboard.offer(text, signal);
    await sleep(ms, signal);
  }

  /** Never rejects: a lost connection is reported elsewhere. */
  async #digest(): Promise<void> {
    await this.#painted;
    const { quietLeast, quietMost, timesLatency, most } = DIGEST;
    const quiet = Math.max(quietLeast, Math.min(quietMost, this.#latencyMs * timesLatency));
    await this.#stability.quiet(quiet, most).catch(() => {});
  }

  /**
   * The keysyms that type `text`; undefined if that would add too many to the server's keymap.
   * Only X11 programs notice added keysyms.
   */
  #asKeys(text: string): number[] | undefined {
    if (this.#programs !== 'x11') return undefined;
    const added = new Set(this.#newKeysyms);
    const keysyms: number[] = [];
    for (const character of composed(text)) {
      const keysym = keysymOf(character);
      keysyms.push(keysym);
      if (!onLayout(keysym)) added.add(keysym);
      if (added.size > MAX_NEW_KEYSYMS) return undefined;
    }
    return keysyms;
  }

  /** For programs without a paste key: adds the characters to the server's keymap. */
  async #asNewKeysyms(text: string, signal?: AbortSignal): Promise<void> {
    const keysyms = this.#asKeys(text);
    if (keysyms === undefined) {
      throw new ApiError(
        'unsupported',
        `text: The focused window did not accept a paste, so "${shortened(text)}" was not typed.`,
        { remedy: 'Click into a text field first, or write the text to a file.' },
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
  const characters = [...text.slice(0, 50)];
  return characters.length <= 20 ? text : `${characters.slice(0, 20).join('')}…`;
}
