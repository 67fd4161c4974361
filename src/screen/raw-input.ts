import { includesShift } from './keyboard/combination.js';
import type { Keyboard } from './keyboard/keyboard.js';
import { Keysym, keysymNamed } from './keyboard/keysyms.js';
import { onLayout } from './keyboard/scancodes.js';
import type { Pointer } from './pointer.js';
import type { Connection } from './rfb/connection.js';
import { pause } from './wait.js';

/** Keys and buttons that may be held at once; a person has ten fingers. */
const MOST_HELD = 16;
const MODIFIERS: ReadonlySet<number> = new Set(
  ['Shift', 'Control', 'Alt', 'Meta', 'Super', 'Hyper'].flatMap((name) => [
    keysymNamed(`${name}_L`),
    keysymNamed(`${name}_R`),
  ]),
);
const LEVEL_SHIFT = keysymNamed('ISO_Level3_Shift');

interface Surroundings {
  /** Called after every event. */
  onInput(): void;
  /** Types a text that no key of the guest's layout stands for. */
  type(text: string): Promise<void>;
}

/**
 * A person's mouse and keyboard, event by event as they come from a live view. Knows what is held
 * down, so that {@link release} lets go of exactly that. Like the actions of the screen, events
 * must not run at the same time as others. Each resolves when the next may follow; they reject
 * only when the connection has ended.
 */
export class RawInput {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #keyboard: Keyboard;
  readonly #surroundings: Surroundings;
  readonly #keys = new Set<number>();
  #buttons = 0;

  constructor(
    connection: Connection,
    pointer: Pointer,
    keyboard: Keyboard,
    surroundings: Surroundings,
  ) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#keyboard = keyboard;
    this.#surroundings = surroundings;
  }

  /** Something is held down. */
  get holding(): boolean {
    return this.#buttons !== 0 || this.#keys.size > 0;
  }

  /** `buttons`: bit 0 left, 1 middle, 2 right, 3 to 6 the wheel. A point outside is moved in. */
  async pointer(x: number, y: number, buttons: number): Promise<void> {
    const { width, height } = this.#connection.framebuffer.size;
    const pressed = buttons & 0x7f;
    const at = { x: Math.min(x, width - 1), y: Math.min(y, height - 1) };
    const changed = pressed !== this.#buttons;
    // A press counts where the pointer is: the move comes first.
    if (changed && pressed > this.#buttons) this.#pointer.event(at, this.#buttons);
    this.#buttons = pressed;
    this.#pointer.event(at, pressed);
    this.#surroundings.onInput();
    if (changed && this.#pointer.holdMs > 0) await pause(this.#pointer.holdMs);
  }

  /** A key by its keysym, as the person's own keyboard means it. */
  async key(action: 'press' | 'release', keysym: number): Promise<void> {
    if (action === 'release') {
      if (this.#keys.delete(keysym)) await this.#send('release', keysym);
    } else if (this.#isForeign(keysym)) {
      await this.#typeForeign(keysym);
    } else if (this.#keys.size < MOST_HELD || this.#keys.has(keysym)) {
      await this.#press(keysym);
    }
    this.#surroundings.onInput();
  }

  /** Resolves when the display server has taken what was sent. */
  flush(): Promise<void> {
    return this.#connection.flush();
  }

  /** Lets go of everything that is held. Idempotent. */
  async release(): Promise<void> {
    const keys = [...this.#keys].reverse();
    this.#keys.clear();
    const hadButtons = this.#buttons !== 0;
    this.#buttons = 0;
    if (!this.#connection.isOpen) return;
    if (hadButtons) this.#pointer.event(this.#pointer.at, 0);
    for (const keysym of keys) await this.#send('release', keysym);
    this.#surroundings.onInput();
  }

  /** A character that the guest's keyboard lacks, and no part of a key combination. */
  #isForeign(keysym: number): boolean {
    const character = keysym < 0x100 || (keysym >= 0x0100_0100 && keysym <= 0x0110_ffff);
    if (!character || keysym <= 0x20 || onLayout(keysym)) return false;
    const commands = [...this.#keys].filter((key) => MODIFIERS.has(key) && !isShift(key));
    return commands.length === 0 || this.#keys.has(LEVEL_SHIFT);
  }

  /** Pasted while nothing is held; what was held is held again. */
  async #typeForeign(keysym: number): Promise<void> {
    const held = [...this.#keys].filter((key) => MODIFIERS.has(key) || key === LEVEL_SHIFT);
    for (const key of held) await this.#send('release', key);
    const character = String.fromCodePoint(keysym < 0x100 ? keysym : keysym - 0x0100_0000);
    // A window that takes no paste loses the character; there is nobody to tell.
    await this.#surroundings.type(character).catch(() => this.#connection.requireOpen());
    for (const key of held) await this.#send('press', key);
  }

  async #press(keysym: number): Promise<void> {
    const { writer } = this.#keyboard;
    let wanted: number[];
    try {
      wanted = writer.resolve([keysym]);
    } catch {
      return; // A key that an emulated keyboard does not have.
    }
    const repeats = this.#keys.has(keysym);
    // An emulated keyboard types what a place and Shift give: Shift has to be as the character
    // needs it, however the person's own layout came to it.
    const needsShift = wanted.length > 1;
    const shifts = [...this.#keys].filter(isShift);
    const adapts = writer.paceMs > 0 && keysym > 0x20 && keysym < 0x7f && !repeats;
    const extra = adapts && needsShift && shifts.length === 0 ? [Keysym.shiftLeft] : [];
    const hindering = adapts && !needsShift && !isCommand(this.#keys) ? shifts : [];
    for (const key of hindering) await this.#send('release', key);
    for (const key of extra) await this.#send('press', key);
    this.#keys.add(keysym);
    await this.#send('press', keysym);
    for (const key of extra) await this.#send('release', key);
    for (const key of hindering) await this.#send('press', key);
  }

  async #send(action: 'press' | 'release', keysym: number): Promise<void> {
    const { writer } = this.#keyboard;
    try {
      this.#connection.send(writer[action](keysym));
    } catch (error) {
      this.#connection.requireOpen();
      if (writer.paceMs === 0) throw error;
      return;
    }
    if (writer.paceMs > 0) await pause(writer.paceMs);
  }
}

function isShift(keysym: number): boolean {
  return includesShift([keysym]);
}

/** Keys held that make a combination of what is pressed next. */
function isCommand(keys: ReadonlySet<number>): boolean {
  return [...keys].some((key) => MODIFIERS.has(key) && !isShift(key));
}
