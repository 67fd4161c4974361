import { EventEmitter } from 'node:events';
import { Camera } from './camera.js';
import type { Cursor } from './cursor.js';
import { RfbFilm } from './film.js';
import { contains } from './framebuffer.js';
import { Keyboard } from './keyboard/keyboard.js';
import { type Point, Pointer } from './pointer.js';
import { RawInput } from './raw-input.js';
import type { Connection } from './rfb/connection.js';
import { PIXEL } from './rfb/constants.js';
import { Settling } from './settle.js';
import type {
  ClickInput,
  DragInput,
  Film,
  Picture,
  PictureOptions,
  QuietOptions,
  Region,
  Screen,
  ScreenEvents,
  ScrollInput,
  SettleOptions,
  Size,
} from './types.js';
import { type TypeOptions, Typist, type TypistOptions } from './typing/typist.js';
import type { Updates } from './updates.js';

/** Milliseconds between updates for listeners of `damage`: about 30 frames a second. */
const LISTENER_MS = 33;

/** A {@link Screen} over one RFB connection. */
export class RfbScreen extends EventEmitter<ScreenEvents> implements Screen {
  readonly #connection: Connection;
  readonly #updates: Updates;
  readonly #pointer: Pointer;
  readonly #keyboard: Keyboard;
  readonly #typist: Typist;
  readonly #camera: Camera;
  readonly #settling: Settling;
  readonly raw: RawInput;
  #inputAt = Number.NEGATIVE_INFINITY;
  #stopWatching: (() => void) | undefined;

  constructor(
    connection: Connection,
    updates: Updates,
    { pointerAt, ...typing }: TypistOptions & { readonly pointerAt: Point | undefined },
  ) {
    super();
    this.setMaxListeners(0);
    this.#connection = connection;
    this.#updates = updates;
    this.#pointer = new Pointer(connection, pointerAt);
    this.#keyboard = new Keyboard(connection, (signal) => updates.sync(signal));
    this.#camera = new Camera(connection, this.#pointer);
    this.#settling = new Settling(connection, updates);
    this.#typist = new Typist(connection, this.#keyboard, this.#settling, typing);
    this.raw = new RawInput(connection, this.#pointer, this.#keyboard, {
      onInput: () => {
        this.#inputAt = performance.now();
      },
      type: (text) => this.#typist.type(text),
    });
    this.#pointer.onMove = (at) => this.emit('pointer', at);
    this.#typist.clipboard.onCopied = (text) => this.emit('clipboard', text);
    connection.on('close', (error) => this.emit('close', error));
    connection.on('resize', (size) => this.emit('resize', size));
    connection.on('cursor', (cursor) => this.emit('cursor', cursor));
    connection.on('update', ({ damage }) => {
      for (const region of damage) this.emit('damage', region);
    });
    // Node's own two events are not among the typed ones.
    const listeners = this as unknown as EventEmitter;
    listeners.on('newListener', (event) => {
      if (event === 'damage') this.#stopWatching ??= updates.watch(LISTENER_MS);
      if (event === 'clipboard') this.#typist.clipboard.listening = true;
    });
    listeners.on('removeListener', (event) => {
      if (event === 'clipboard') {
        this.#typist.clipboard.listening = this.listenerCount('clipboard') > 0;
      }
      if (event !== 'damage' || this.listenerCount('damage') > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    });
  }

  get size(): Size {
    return this.#connection.framebuffer.size;
  }

  get open(): boolean {
    return this.#connection.isOpen;
  }

  get pointer(): Point {
    return this.#pointer.at;
  }

  get cursor(): Cursor | undefined {
    return this.#connection.cursor;
  }

  /** Takes the pointer over where it is; see {@link Pointer.claim}. */
  claimPointer(signal?: AbortSignal): Promise<void> {
    return this.#pointer.claim(async () => {
      await this.#connection.flush(signal);
      await this.#updates.sync(signal);
    });
  }

  move(x: number, y: number, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, async () => this.#pointer.move(this.#pointer.locate(x, y)));
  }

  click(input: ClickInput, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, () => {
      this.#pointer.locate(input.x, input.y);
      return this.#keyboard.holding(input.keys, signal, () => this.#pointer.click(input, signal));
    });
  }

  drag(input: DragInput, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, () => this.#pointer.drag(input, signal));
  }

  scroll(input: ScrollInput, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, () => this.#pointer.scroll(input, signal));
  }

  type(text: string, options: TypeOptions = {}): Promise<void> {
    return this.#input(options.signal, () => this.#typist.type(text, options));
  }

  key(combination: string, options: { holdMs?: number; signal?: AbortSignal } = {}): Promise<void> {
    const { holdMs = 0, signal } = options;
    return this.#input(signal, () => this.#keyboard.press(combination, holdMs, signal));
  }

  async screenshot(options: PictureOptions, signal?: AbortSignal): Promise<Picture> {
    this.#begin(signal);
    await this.#settling.afterInput(this.#inputAt, signal);
    await this.#updates.sync(signal);
    // Another caller's update may be half written by now: a picture of it would be torn.
    while (this.#connection.updating) await this.#connection.updated(signal);
    return this.#camera.take(options);
  }

  async waitStable(options: SettleOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#settling.stable(options);
  }

  async waitChange(options: SettleOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#settling.change(options);
  }

  film(intervalMs: number): Film {
    this.#connection.requireOpen();
    return new RfbFilm(this.#connection, this.#pointer, this.#updates, intervalMs);
  }

  async settle(options: QuietOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#settling.settled(this.#inputAt, options);
  }

  async pixels(regions: readonly Region[], signal?: AbortSignal): Promise<(Buffer | undefined)[]> {
    this.#begin(signal);
    while (this.#connection.updating) await this.#connection.updated(signal);
    const { framebuffer } = this.#connection;
    return regions.map((region) => {
      if (!contains(framebuffer.size, region)) return undefined;
      const copy = Buffer.allocUnsafe(region.width * region.height * PIXEL);
      framebuffer.read(region, copy);
      return copy;
    });
  }

  copy(text: string): void {
    this.#begin(undefined);
    if (this.#connection.can.clipboard) this.#typist.clipboard.put(text);
  }

  close(): void {
    this.#connection.close();
  }

  #begin(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.#connection.requireOpen();
  }

  async #input(signal: AbortSignal | undefined, act: () => Promise<void>): Promise<void> {
    this.#begin(signal);
    try {
      await act();
      await this.#connection.flush(signal);
    } finally {
      this.#inputAt = performance.now();
    }
  }
}
