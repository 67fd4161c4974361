import { sleep } from '../../../lib/async/sleep.js';
import type { Connection } from '../../rfb/connection.js';
import { includesShift, parseCombination } from './combination.js';
import { scancodeWriter } from './scancodes.js';
import { type KeyWriter, keysymWriter } from './writer.js';

/** Presses keys, and releases them even when the action between fails. */
export class Keyboard {
  readonly #connection: Connection;
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
    let keysyms = combinations.flatMap((combination) => parseCombination(combination));
    if (includesShift(keysyms) && keysyms.length > 1) {
      await this.#refresh(signal);
      const lock = this.#connection.capsLock ? 'caps-lock' : undefined;
      keysyms = combinations.flatMap((combination) => parseCombination(combination, lock));
    }
    await this.#holding(keysyms, signal, meanwhile);
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
