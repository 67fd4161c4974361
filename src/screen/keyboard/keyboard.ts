import type { Connection } from '../rfb/connection.js';
import { pause } from '../wait.js';
import { includesShift, parseCombination } from './combination.js';
import { scancodeWriter } from './scancodes.js';
import { type KeyWriter, keysymWriter } from './writer.js';

/** Presses and releases keys; what it pressed it releases, whatever happens. */
export class Keyboard {
  readonly #connection: Connection;
  readonly #refresh: (signal?: AbortSignal) => Promise<void>;

  /** `refresh`: brings what the connection knows of the LEDs up to date. */
  constructor(connection: Connection, refresh: (signal?: AbortSignal) => Promise<void>) {
    this.#connection = connection;
    this.#refresh = refresh;
  }

  /** A server with fences is the guest's display server itself; others emulate a keyboard. */
  get writer(): KeyWriter {
    const { fences, scancodes } = this.#connection.can;
    return !fences && scancodes ? scancodeWriter : keysymWriter;
  }

  /** Presses a combination in its order, holds it for `holdMs` milliseconds, releases it. */
  async press(combination: string, holdMs: number, signal?: AbortSignal): Promise<void> {
    await this.holding([combination], signal, async () => {
      if (holdMs > 0) {
        await this.#connection.flush(signal);
        await pause(holdMs, signal);
      }
    });
    await this.#connection.flush(signal);
  }

  /** Does something while keys are held. Throws ApiError `unknown_key` before anything is pressed. */
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

  /** Presses keys in their order and releases them, without waiting for the server. */
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
        if (writer.paceMs > 0) await pause(writer.paceMs, signal);
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
      if (writer.paceMs > 0) await pause(writer.paceMs);
    }
  }
}
