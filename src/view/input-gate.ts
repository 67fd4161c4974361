import type { RawInput } from '../screen/raw-input.js';

export type InputEvent =
  | { readonly kind: 'pointer'; readonly x: number; readonly y: number; readonly buttons: number }
  | { readonly kind: 'key'; readonly press: boolean; readonly keysym: number };

/** Whoever puts input in a row: the queue of a computer's actions. */
export interface Turns {
  /** Tasks that run or wait. */
  readonly length: number;
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Events that may wait while somebody else's action runs. */
const MOST_WAITING = 512;
/** An event that waited longer than this is not done any more: nobody expects it by now. */
const STALE_MS = 5000;
/** A person may hold a button or key for so long while others wait for their turn. */
const HOLD_MS = 10_000;
/** How often a held turn looks whether others wait. */
const LOOK_MS = 250;

/**
 * Brings a person's input between the actions of others. It takes a turn in the queue of actions
 * with the first event, and gives it back when nothing is held down any more: an action never
 * comes into a drag or a combination of a person, nor the other way round. Bounded in memory and,
 * while others wait, in time; what is still held then is let go.
 */
export class InputGate {
  readonly #turns: Turns;
  readonly #raw: RawInput;
  readonly #onFailure: (error: unknown) => void;
  #events: { readonly event: InputEvent; readonly at: number }[] = [];
  #working = false;
  #closed = false;
  #wake: () => void = () => {};

  /** `onFailure` is called when the screen does not take the input. */
  constructor(turns: Turns, raw: RawInput, onFailure: (error: unknown) => void) {
    this.#turns = turns;
    this.#raw = raw;
    this.#onFailure = onFailure;
  }

  push(event: InputEvent): void {
    if (this.#closed) return;
    const last = this.#events.at(-1)?.event;
    // Of moves that wait, only where they led to matters.
    const replaces =
      event.kind === 'pointer' && last?.kind === 'pointer' && last.buttons === event.buttons;
    if (replaces) this.#events.pop();
    if (this.#events.length >= MOST_WAITING) this.#events = [];
    this.#events.push({ event, at: performance.now() });
    this.#wake();
    if (this.#working) return;
    this.#working = true;
    this.#turns
      .run(() => this.#work())
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        this.#working = false;
        const next = this.#events.pop()?.event;
        if (next !== undefined && !this.#closed) this.push(next);
      });
  }

  /** The person has left: whatever is held is let go. */
  close(): void {
    this.#closed = true;
    this.#events = [];
    this.#wake();
  }

  async #work(): Promise<void> {
    const began = performance.now();
    try {
      while (!this.#closed) {
        await this.#apply();
        if (this.#events.length > 0) continue;
        if (!this.#raw.holding) return;
        const othersWait = this.#turns.length > 1;
        if (othersWait && performance.now() - began > HOLD_MS) return;
        await this.#nextEvent();
      }
    } finally {
      await this.#raw.release();
    }
  }

  /** Does what waits, and returns when the display server has taken it. */
  async #apply(): Promise<void> {
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const { event, at } = next;
      const lets = event.kind === 'key' ? !event.press : event.buttons === 0;
      if (!lets && performance.now() - at > STALE_MS) continue;
      if (event.kind === 'pointer') await this.#raw.pointer(event.x, event.y, event.buttons);
      else await this.#raw.key(event.press ? 'press' : 'release', event.keysym);
    }
    await this.#raw.flush();
  }

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
