import { EventEmitter } from 'node:events';
import { ApiError } from '../contract/errors.js';
import { Screenshots } from './capture/screenshot.js';
import { RfbVideoFrame } from './capture/video-frame.js';
import { contains, type Point } from './geometry.js';
import { Keyboard } from './input/keyboard/keyboard.js';
import { Pointer } from './input/pointer.js';
import { RawInput } from './input/raw-input.js';
import type { Cursor } from './model/cursor.js';
import { Stability } from './model/stability.js';
import type { UpdateScheduler } from './model/update-scheduler.js';
import type { Connection } from './rfb/connection.js';
import { PIXEL } from './rfb/constants.js';
import type {
  ClickInput,
  DragInput,
  Picture,
  PictureOptions,
  QuietOptions,
  Region,
  Screen,
  ScreenEvents,
  ScrollInput,
  SettleOptions,
  Size,
  VideoFrame,
} from './types.js';
import { type TypeOptions, Typist, type TypistOptions } from './typing/typist.js';

/** Milliseconds between updates for listeners of `damage`: about 30 frames a second. */
const LISTENER_MS = 33;

/** A {@link Screen} over one RFB connection. */
export class RfbScreen extends EventEmitter<ScreenEvents> implements Screen {
  readonly #connection: Connection;
  readonly #updates: UpdateScheduler;
  readonly #pointer: Pointer;
  readonly #keyboard: Keyboard;
  readonly #typist: Typist;
  readonly #screenshots: Screenshots;
  readonly #stability: Stability;
  readonly raw: RawInput;
  #inputAt = Number.NEGATIVE_INFINITY;
  #stopWatching: (() => void) | undefined;

  constructor(
    connection: Connection,
    updates: UpdateScheduler,
    { pointerAt, ...typing }: TypistOptions & { readonly pointerAt: Point | undefined },
  ) {
    super();
    this.setMaxListeners(0);
    this.#connection = connection;
    this.#updates = updates;
    this.#pointer = new Pointer(connection, pointerAt);
    this.#keyboard = new Keyboard(connection, (signal) => updates.sync(signal));
    this.#screenshots = new Screenshots(connection, this.#pointer);
    this.#stability = new Stability(connection, updates);
    this.#typist = new Typist(connection, this.#keyboard, this.#stability, typing);
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
    // ScreenEvents does not declare Node's own two events.
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

  /** See {@link Pointer.claim}. */
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
    await this.#stability.afterInput(this.#inputAt, signal);
    await this.#updates.sync(signal);
    return this.#screenshots.take(options, signal);
  }

  async waitStable(options: SettleOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#stability.stable(options);
  }

  async waitChange(options: SettleOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#stability.change(options);
  }

  videoFrame(intervalMs: number): VideoFrame {
    this.#connection.requireOpen();
    return new RfbVideoFrame(this.#connection, this.#pointer, this.#updates, intervalMs);
  }

  async settle(options: QuietOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#stability.settled(this.#inputAt, options);
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

  async setClipboard(text: string, signal?: AbortSignal): Promise<void> {
    this.#beginCopy(signal);
    this.#typist.clipboard.put(text);
    await this.#connection.flush(signal);
  }

  async clipboard(signal?: AbortSignal): Promise<string | undefined> {
    this.#beginCopy(signal);
    return this.#typist.clipboard.text(signal);
  }

  get holdsText(): boolean {
    return this.#typist.clipboard.holdsText;
  }

  close(): void {
    this.#connection.close();
  }

  #begin(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    this.#connection.requireOpen();
  }

  #beginCopy(signal: AbortSignal | undefined): void {
    this.#begin(signal);
    if (this.#connection.can.clipboard) return;
    throw new ApiError('unsupported', 'The screen of this computer has no clipboard.', {
      remedy: 'Write the text to a file, or pass it to a command.',
    });
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
