import type { RawInput } from '../screen/input/raw-input.js';

type InputEvent =
  | { readonly kind: 'pointer'; readonly x: number; readonly y: number; readonly buttons: number }
  | { readonly kind: 'key'; readonly press: boolean; readonly keysym: number }
  | { readonly kind: 'text'; readonly text: string };

/** The queue of a computer's actions. */
export interface InputQueue {
  /** Tasks that run or wait. */
  readonly length: number;
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Most queued events while another client's action runs. */
const MOST_WAITING = 512;
/** Milliseconds after which a queued event is dropped. */
const STALE_MS = 5000;
/** Milliseconds that a viewer may hold a button or key while other actions wait. */
const HOLD_MS = 10_000;
/** Milliseconds between checks for waiting actions meanwhile. */
const LOOK_MS = 250;

/**
 * Queues a viewer's input with the actions of other clients. The first event enters the queue of
 * actions, and the task ends when nothing is held down, so that a viewer's drag or key combination
 * and other actions never interrupt each other. Bounded in memory and, while actions wait, in time;
 * keys and buttons still held then are released.
 */
export class InputGate {
  readonly #queue: InputQueue;
  readonly #raw: RawInput;
  readonly #onFailure: (error: unknown) => void;
  #events: { readonly event: InputEvent; readonly at: number }[] = [];
  #working = false;
  #closed = false;
  /** Ends the present task. */
  #isReleased = false;
  /** Stops the text that is being typed. */
  #typing = new AbortController();
  #wake: () => void = () => {};

  /** `onFailure` is called when the screen rejects the input. */
  constructor(queue: InputQueue, raw: RawInput, onFailure: (error: unknown) => void) {
    this.#queue = queue;
    this.#raw = raw;
    this.#onFailure = onFailure;
  }

  push(event: InputEvent): void {
    if (this.#closed) return;
    const last = this.#events.at(-1)?.event;
    // Of queued moves, only the last one matters.
    const replaces =
      event.kind === 'pointer' && last?.kind === 'pointer' && last.buttons === event.buttons;
    if (replaces) this.#events.pop();
    if (this.#events.length >= MOST_WAITING) this.#events = [];
    this.#events.push({ event, at: performance.now() });
    this.#wake();
    if (this.#working) return;
    this.#working = true;
    this.#queue
      .run(() => this.#work())
      .catch((error: unknown) => this.#onFailure(error))
      .finally(() => {
        this.#working = false;
        const next = this.#events.pop()?.event;
        if (next !== undefined && !this.#closed) this.push(next);
      });
  }

  /** Releases what is held, stops a text and drops queued events; later events are taken again. */
  release(): void {
    this.#isReleased = this.#working;
    this.#drop();
  }

  /** Call when the viewer disconnects: releases what is held. */
  close(): void {
    this.#closed = true;
    this.#drop();
  }

  #drop(): void {
    this.#events = [];
    this.#typing.abort();
    this.#typing = new AbortController();
    this.#wake();
  }

  async #work(): Promise<void> {
    const began = performance.now();
    try {
      while (!this.#closed && !this.#isReleased) {
        await this.#apply();
        if (this.#events.length > 0) continue;
        if (!this.#raw.holding) return;
        const othersWait = this.#queue.length > 1;
        if (othersWait && performance.now() - began > HOLD_MS) return;
        await this.#nextEvent();
      }
    } finally {
      this.#isReleased = false;
      await this.#raw.release();
    }
  }

  /** Sends the queued events; resolves when the display server has processed them. */
  async #apply(): Promise<void> {
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const { event, at } = next;
      const { signal } = this.#typing;
      const isRelease =
        event.kind === 'key' ? !event.press : event.kind === 'pointer' && event.buttons === 0;
      if (!isRelease && performance.now() - at > STALE_MS) continue;
      if (event.kind === 'pointer') await this.#raw.pointer(event.x, event.y, event.buttons);
      else if (event.kind === 'text') await this.#raw.type(event.text, signal);
      else await this.#raw.key(event.press ? 'press' : 'release', event.keysym, signal);
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
