import { sleep } from '../../lib/async/sleep.js';
import type { Connection } from '../rfb/connection.js';
import { includesShift, isCommandModifier } from './keyboard/combination.js';
import type { Keyboard } from './keyboard/keyboard.js';
import { Keysym, keysymNamed } from './keyboard/keysyms.js';
import { onLayout } from './keyboard/scancodes.js';
import type { Pointer } from './pointer.js';

/** Most keys held at once. */
const MOST_HELD = 16;
const LEVEL_SHIFT = keysymNamed('ISO_Level3_Shift');

interface RawInputHooks {
  /** Called after every event. */
  onInput(): void;
  /** Types a text that no key of the guest's layout types, until `signal` aborts. */
  type(text: string, signal: AbortSignal | undefined): Promise<void>;
}

/**
 * Mouse and keyboard events of a live view. Tracks what is held down, so that {@link release}
 * releases exactly that. Calls must not overlap each other or the actions of the screen. Each
 * resolves when the next may follow, and rejects only when the connection has ended.
 */
export class RawInput {
  readonly #connection: Connection;
  readonly #pointer: Pointer;
  readonly #keyboard: Keyboard;
  readonly #hooks: RawInputHooks;
  readonly #keys = new Set<number>();
  #buttons = 0;

  constructor(connection: Connection, pointer: Pointer, keyboard: Keyboard, hooks: RawInputHooks) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#keyboard = keyboard;
    this.#hooks = hooks;
  }

  /** Something is held down. */
  get holding(): boolean {
    return this.#buttons !== 0 || this.#keys.size > 0;
  }

  /** `buttons`: bit 0 left, 1 middle, 2 right, 3 to 6 the wheel. Clamps the point to the screen. */
  async pointer(x: number, y: number, buttons: number): Promise<void> {
    const { width, height } = this.#connection.framebuffer.size;
    const pressed = buttons & 0x7f;
    const at = { x: Math.min(x, width - 1), y: Math.min(y, height - 1) };
    const changed = pressed !== this.#buttons;
    // A press acts at the pointer's current position, so move first.
    if (changed && pressed > this.#buttons) this.#pointer.event(at, this.#buttons);
    this.#buttons = pressed;
    this.#pointer.event(at, pressed);
    this.#hooks.onInput();
    if (changed && this.#pointer.holdMs > 0) await sleep(this.#pointer.holdMs);
  }

  /** `keysym`: the key according to the viewer's keyboard layout. `signal` is for {@link type}. */
  async key(action: 'press' | 'release', keysym: number, signal?: AbortSignal): Promise<void> {
    if (action === 'release') {
      if (this.#keys.delete(keysym)) await this.#send('release', keysym);
    } else if (this.#isForeign(keysym)) {
      const code = keysym < 0x100 ? keysym : keysym - 0x0100_0000;
      await this.type(String.fromCodePoint(code), signal);
    } else if (this.#keys.size < MOST_HELD || this.#keys.has(keysym)) {
      await this.#press(keysym);
    }
    this.#hooks.onInput();
  }

  /** Resolves when the display server has processed what was sent. */
  flush(): Promise<void> {
    return this.#connection.flush();
  }

  /** Releases everything that is held. Idempotent. */
  async release(): Promise<void> {
    const keys = [...this.#keys].reverse();
    this.#keys.clear();
    const hadButtons = this.#buttons !== 0;
    this.#buttons = 0;
    if (!this.#connection.isOpen) return;
    if (hadButtons) this.#pointer.event(this.#pointer.at, 0);
    for (const keysym of keys) await this.#send('release', keysym);
    this.#hooks.onInput();
  }

  /** A character that the guest's keyboard lacks and that is not part of a key combination. */
  #isForeign(keysym: number): boolean {
    const character = keysym < 0x100 || (keysym >= 0x0100_0100 && keysym <= 0x0110_ffff);
    if (!character || keysym <= 0x20 || onLayout(keysym)) return false;
    return !this.#holdsCommand() || this.#keys.has(LEVEL_SHIFT);
  }

  /** Types a text with all modifiers released, and presses them again. Stops when `signal` aborts. */
  async type(text: string, signal?: AbortSignal): Promise<void> {
    const held = [...this.#keys].filter(
      (key) => isShift(key) || isCommandModifier(key) || key === LEVEL_SHIFT,
    );
    for (const key of held) await this.#send('release', key);
    // A window that does not accept a paste loses it.
    await this.#hooks.type(text, signal).catch(() => this.#connection.requireOpen());
    for (const key of held) await this.#send('press', key);
    this.#hooks.onInput();
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
    // On an emulated keyboard the character depends on the key and Shift: adapt Shift to the
    // guest's layout, which may differ from the viewer's.
    const needsShift = wanted.length > 1;
    const shifts = [...this.#keys].filter(isShift);
    const adapts = writer.keyIntervalMs > 0 && keysym > 0x20 && keysym < 0x7f && !repeats;
    const extra = adapts && needsShift && shifts.length === 0 ? [Keysym.shiftLeft] : [];
    const hindering = adapts && !needsShift && !this.#holdsCommand() ? shifts : [];
    for (const key of hindering) await this.#send('release', key);
    for (const key of extra) await this.#send('press', key);
    this.#keys.add(keysym);
    await this.#send('press', keysym);
    for (const key of extra) await this.#send('release', key);
    for (const key of hindering) await this.#send('press', key);
  }

  /** Whether a held modifier makes the next key a key combination. */
  #holdsCommand(): boolean {
    return [...this.#keys].some(isCommandModifier);
  }

  async #send(action: 'press' | 'release', keysym: number): Promise<void> {
    const { writer } = this.#keyboard;
    try {
      this.#connection.send(writer[action](keysym));
    } catch (error) {
      this.#connection.requireOpen();
      if (writer.keyIntervalMs === 0) throw error;
      return;
    }
    if (writer.keyIntervalMs > 0) await sleep(writer.keyIntervalMs);
  }
}

function isShift(keysym: number): boolean {
  return includesShift([keysym]);
}
