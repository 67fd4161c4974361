import { EventEmitter } from 'node:events';
import { ApiError } from '../contract/errors.js';
import { Screenshots } from './capture/screenshot.js';
import { VideoFrames } from './capture/video-frame.js';
import type { Point } from './geometry.js';
import { Keyboard } from './input/keyboard/keyboard.js';
import type { PointerOptions } from './input/mouse-input.js';
import { Pointer } from './input/pointer.js';
import { RawInput } from './input/raw-input.js';
import type { Cursor } from './model/cursor.js';
import { DamageLog } from './model/damage-log.js';
import { Stability } from './model/stability.js';
import type { UpdateScheduler } from './model/update-scheduler.js';
import type { Connection } from './rfb/connection.js';
import { setDesktopSize } from './rfb/messages.js';
import { forwardEvents } from './screen-events.js';
import type {
  ButtonInput,
  ClickInput,
  DragInput,
  KeyOptions,
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

type ScreenOptions = TypistOptions & PointerOptions;

/** A {@link Screen} over one RFB connection. */
export class RfbScreen extends EventEmitter<ScreenEvents> implements Screen {
  readonly #connection: Connection;
  readonly #updates: UpdateScheduler;
  readonly #pointer: Pointer;
  readonly #keyboard: Keyboard;
  readonly #typist: Typist;
  readonly #screenshots: Screenshots;
  readonly #stability: Stability;
  readonly #video: VideoFrames;
  readonly raw: RawInput;
  readonly changes = new DamageLog();
  #inputAt = Number.NEGATIVE_INFINITY;

  constructor(
    connection: Connection,
    updates: UpdateScheduler,
    { pointerAt, extraButtons, ...typing }: ScreenOptions,
  ) {
    super();
    this.setMaxListeners(0);
    this.#connection = connection;
    this.#updates = updates;
    this.#pointer = new Pointer(connection, pointerAt, extraButtons);
    this.#keyboard = new Keyboard(connection, (signal) => updates.sync(signal));
    const { changes } = this;
    this.#video = new VideoFrames({ connection, pointer: this.#pointer, updates, changes });
    this.#screenshots = new Screenshots(connection, this.#pointer);
    this.#stability = new Stability(connection, updates);
    this.#typist = new Typist(connection, this.#keyboard, this.#stability, typing);
    this.raw = new RawInput(connection, this.#pointer, this.#keyboard, {
      onInput: () => {
        this.#inputAt = performance.now();
      },
      type: (text, signal) => this.#typist.type(text, signal ? { signal } : {}),
    });
    this.#pointer.onMove = (at) => this.emit('pointer', at);
    this.#typist.clipboard.copied.onCopied = (copied) => this.emit('clipboard', copied);
    const { clipboard } = this.#typist;
    forwardEvents(this, { connection, updates, clipboard, changes });
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
    return this.#pointer.claim(() =>
      this.#connection.flush(signal).then(() => this.#updates.sync(signal)),
    );
  }

  get holding(): boolean {
    return this.#pointer.holding || this.#keyboard.isHolding;
  }

  move(x: number, y: number, signal?: AbortSignal, keys?: readonly string[]): Promise<void> {
    return this.#mouse({ keys }, signal, async () => {
      this.#pointer.move(this.#pointer.locate(x, y));
    });
  }

  press(input: ButtonInput, signal?: AbortSignal): Promise<void> {
    return this.#mouse(input, signal, () => this.#pointer.press(input, signal));
  }

  release(input: ButtonInput, signal?: AbortSignal): Promise<void> {
    return this.#mouse(input, signal, () => this.#pointer.release(input, signal));
  }

  keyDown(combination: string, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, () => this.#keyboard.down(combination, signal));
  }

  keyUp(combination: string, signal?: AbortSignal): Promise<void> {
    return this.#input(signal, () => this.#keyboard.up(combination));
  }

  releaseAll(): Promise<void> {
    if (!this.holding) return Promise.resolve();
    return this.#input(undefined, () => this.#releaseAll());
  }

  async click(input: ClickInput, signal?: AbortSignal): Promise<void> {
    this.#begin(signal);
    this.#pointer.locate(input.x, input.y);
    await this.#mouse(input, signal, () => this.#pointer.click(input, signal));
  }

  drag(input: DragInput, signal?: AbortSignal): Promise<void> {
    return this.#mouse(input, signal, () => this.#pointer.drag(input, signal));
  }

  scroll(input: ScrollInput, signal?: AbortSignal): Promise<void> {
    return this.#mouse(input, signal, () => this.#pointer.scroll(input, signal));
  }

  type(text: string, options: TypeOptions = {}): Promise<void> {
    return this.#input(options.signal, () => this.#typist.type(text, options));
  }

  key(combination: string, options: KeyOptions = {}): Promise<void> {
    const { holdMs = 0, repeat = 1, signal } = options;
    return this.#input(signal, async () => {
      for (let press = 0; press < repeat; press++) {
        await this.#keyboard.press(combination, holdMs, signal);
      }
    });
  }

  async screenshot(options: PictureOptions, signal?: AbortSignal): Promise<Picture> {
    this.#begin(signal);
    await this.#stability.afterInput(this.#inputAt, signal);
    await this.#updates.sync(signal);
    return this.#screenshots.take(options, signal);
  }

  async resize(size: Size, signal?: AbortSignal): Promise<boolean> {
    this.#begin(signal);
    this.#connection.send(setDesktopSize(size));
    await this.#connection.flush(signal);
    await this.#updates.sync(signal);
    return this.size.width === size.width && this.size.height === size.height;
  }

  async refresh(signal?: AbortSignal): Promise<number> {
    this.#begin(signal);
    await this.#updates.sync(signal);
    return this.#connection.framebuffer.version;
  }

  changedSince(version: number): readonly Region[] {
    return this.#connection.framebuffer.changedSince(version);
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
    return this.#video.open(intervalMs);
  }

  async settle(options: QuietOptions): Promise<boolean> {
    this.#begin(options.signal);
    return this.#stability.settled(this.#inputAt, options);
  }

  async pixels(
    regions: readonly Region[],
    signal?: AbortSignal,
    bufferOf: (bytes: number) => Buffer = Buffer.allocUnsafe,
  ): Promise<(Buffer | undefined)[]> {
    this.#begin(signal);
    while (this.#connection.updating) await this.#connection.updated(signal);
    const { framebuffer } = this.#connection;
    return regions.map((region) => framebuffer.copyOf(region, bufferOf));
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
    // A display server may keep what a client had pressed. Written before the connection ends.
    if (this.open && this.holding) {
      void Promise.allSettled([this.#pointer.releaseAll(), this.#keyboard.releaseAll()]);
    }
    this.#connection.close();
  }

  async #releaseAll(): Promise<void> {
    await this.#keyboard.releaseAll();
    await this.#pointer.releaseAll();
  }

  /** A mouse action while keys are held. */
  #mouse(
    { keys = [] }: { readonly keys?: readonly string[] | undefined },
    signal: AbortSignal | undefined,
    act: () => Promise<void>,
  ): Promise<void> {
    if (keys.length === 0) return this.#input(signal, act);
    return this.#input(signal, () => this.#keyboard.holding(keys, signal, act));
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
