import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { Connection } from '../../rfb/connection.js';
import { includesShift, parseCombination } from './combination.js';
import { scancodeWriter } from './scancodes.js';
import { type KeyWriter, keysymWriter } from './writer.js';

/** Most keys that stay pressed between actions. */
const MOST_HELD = 16;

/**
 * Presses keys, and releases them even when the action between fails; except those of
 * {@link Keyboard.down}.
 */
export class Keyboard {
  readonly #connection: Connection;
  /** Keys that stay pressed between actions, in the order of their presses. */
  readonly #held: number[] = [];
  readonly #refresh: (signal?: AbortSignal) => Promise<void>;

  /** `refresh`: updates the connection's state of the keyboard LEDs. */
  constructor(connection: Connection, refresh: (signal?: AbortSignal) => Promise<void>) {
    this.#connection = connection;
    this.#refresh = refresh;
  }

  /** A server with fences is the guest's own display server; others emulate a keyboard. */
  get writer(): KeyWriter {
    const { fences, scancodes } = this.#connection.can;
    return !fences && scancodes ? scancodeWriter : keysymWriter;
  }

  /** Presses the keys of a combination in order, holds them for `holdMs`, and releases them. */
  async press(combination: string, holdMs: number, signal?: AbortSignal): Promise<void> {
    await this.holding([combination], signal, async () => {
      if (holdMs > 0) {
        await this.#connection.flush(signal);
        await sleep(holdMs, signal);
      }
    });
    await this.#connection.flush(signal);
  }

  /** Runs `meanwhile` while keys are held. Throws ApiError `unknown_key` before pressing any. */
  async holding(
    combinations: readonly string[],
    signal: AbortSignal | undefined,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const parse = (lock?: 'caps-lock') =>
      combinations.flatMap((combination) => parseCombination(combination, lock, this.#held));
    let keysyms = parse();
    if (includesShift([...keysyms, ...this.#held]) && keysyms.length + this.#held.length > 1) {
      await this.#refresh(signal);
      keysyms = parse(this.#connection.capsLock ? 'caps-lock' : undefined);
    }
    await this.#holding(
      keysyms.filter((keysym) => !this.#held.includes(keysym)),
      signal,
      meanwhile,
    );
  }

  /** True while a key stays pressed. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Presses the keys of a combination, which stay pressed until {@link up} or {@link releaseAll}. */
  async down(combination: string, signal?: AbortSignal): Promise<void> {
    const { writer } = this;
    const keysyms = parseCombination(combination, undefined, this.#held);
    const added = writer.resolve(keysyms).filter((keysym) => !this.#held.includes(keysym));
    if (this.#held.length + added.length > MOST_HELD) {
      throw new ApiError('limit_reached', `${MOST_HELD} keys are held down, which is the limit.`, {
        remedy: 'Release one first.',
      });
    }
    for (const keysym of added) {
      signal?.throwIfAborted();
      this.#connection.send(writer.press(keysym));
      this.#held.push(keysym);
      if (writer.keyIntervalMs > 0) await sleep(writer.keyIntervalMs);
    }
  }

  /** Releases the keys of a combination; those that are not pressed stay so. */
  async up(combination: string): Promise<void> {
    // A letter may have been pressed with or without Shift.
    const named = [[], this.#held].flatMap((held) =>
      parseCombination(combination, undefined, held),
    );
    const released = this.#held.filter((keysym) => named.includes(keysym));
    this.#forget(released);
    await this.#release(this.writer, released);
  }

  /** Releases every key that stays pressed. */
  async releaseAll(): Promise<void> {
    await this.#release(this.writer, this.#held.splice(0));
  }

  #forget(keysyms: readonly number[]): void {
    const kept = this.#held.filter((keysym) => !keysyms.includes(keysym));
    this.#held.splice(0, this.#held.length, ...kept);
  }

  /** Presses keys in order and releases them, without waiting for the server. */
  async tap(keysyms: readonly number[], signal?: AbortSignal): Promise<void> {
    await this.#holding(keysyms, signal, async () => {});
  }

  async #holding(
    keys: readonly number[],
    signal: AbortSignal | undefined,
    meanwhile: () => Promise<void>,
  ): Promise<void> {
    const { writer } = this;
    const keysyms = writer.resolve(keys);
    signal?.throwIfAborted();
    const pressed: number[] = [];
    try {
      for (const keysym of keysyms) {
        this.#connection.send(writer.press(keysym));
        pressed.push(keysym);
        if (writer.keyIntervalMs > 0) await sleep(writer.keyIntervalMs, signal);
      }
      await meanwhile();
    } finally {
      await this.#release(writer, pressed);
    }
  }

  async #release(writer: KeyWriter, pressed: number[]): Promise<void> {
    for (const keysym of pressed.reverse()) {
      if (!this.#connection.isOpen) return;
      this.#connection.send(writer.release(keysym));
      if (writer.keyIntervalMs > 0) await sleep(writer.keyIntervalMs);
    }
  }
}
