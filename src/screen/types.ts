import type { EventEmitter } from 'node:events';
import type { ImageFormat } from '../contract/actions/actions.js';
import type { NumberedBox } from './capture/marks.js';
import type { Region, Size } from './geometry.js';
import type { ButtonInput, ClickInput, DragInput, ScrollInput } from './input/mouse-input.js';
import type { RawInput } from './input/raw-input.js';
import type { Cursor } from './model/cursor.js';

export type { Region, Size } from './geometry.js';
export type {
  ButtonInput,
  ClickInput,
  DragInput,
  ExtraButtons,
  ScrollInput,
} from './input/mouse-input.js';

export interface PictureOptions {
  readonly format: ImageFormat;
  /** 1 to 100, for jpeg and webp. */
  readonly quality: number;
  /** Factor for width and height, above 0 and up to 1. */
  readonly scale: number;
  readonly region?: Region;
  /** Whether to draw the pointer. */
  readonly cursor: boolean;
  /** Boxes to draw, in pixels of the screen. */
  readonly boxes?: readonly NumberedBox[] | undefined;
}

export interface Picture extends Size {
  readonly data: Buffer;
  readonly format: ImageFormat;
}

export interface KeyOptions {
  /** From press to release. */
  readonly holdMs?: number;
  /** How often to press; once by default. */
  readonly repeat?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface SettleOptions {
  readonly region?: Region;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface QuietOptions {
  /** Milliseconds without a change until the screen counts as quiet. */
  readonly quietMs: number;
  /** Longest wait, milliseconds. */
  readonly maxMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A machine's screen, mouse and keyboard over one RFB connection.
 *
 * Input methods resolve when the display server has processed the input. The caller must run them
 * one after another. Each releases every key and button that it pressed, also when it fails; except
 * `press` and `keyDown`, whose keys and buttons stay pressed until they are released, at the latest
 * when the connection is closed.
 * Coordinates outside the screen reject with ApiError `off_screen`, which states its size.
 */
export interface Screen extends EventEmitter<ScreenEvents> {
  readonly size: Size;
  /** False once the connection has ended; every method then rejects. */
  readonly open: boolean;
  /** The pointer's last position set through this screen; the middle at first. */
  readonly pointer: { readonly x: number; readonly y: number };
  /** The pointer's image, after the display server has sent it. */
  readonly cursor: Cursor | undefined;
  /** What has changed on the screen; grows when `damage` is emitted. */
  readonly changes: ScreenChanges;
  /** Single mouse and keyboard events of a live view. */
  readonly raw: RawInput;
  /** A key or button stays pressed between actions. */
  readonly holding: boolean;
  move(x: number, y: number, signal?: AbortSignal, keys?: readonly string[]): Promise<void>;
  /** Presses a mouse button, which stays pressed. */
  press(input: ButtonInput, signal?: AbortSignal): Promise<void>;
  release(input: ButtonInput, signal?: AbortSignal): Promise<void>;
  /** Presses the keys of a combination, which stay pressed. */
  keyDown(combination: string, signal?: AbortSignal): Promise<void>;
  keyUp(combination: string, signal?: AbortSignal): Promise<void>;
  /** Releases everything that stays pressed; idempotent. */
  releaseAll(): Promise<void>;
  click(input: ClickInput, signal?: AbortSignal): Promise<void>;
  drag(input: DragInput, signal?: AbortSignal): Promise<void>;
  scroll(input: ScrollInput, signal?: AbortSignal): Promise<void>;
  /** Any Unicode text, exactly; newline is Enter, tab is Tab. */
  type(text: string, options?: { delayMs?: number; signal?: AbortSignal }): Promise<void>;
  /** `Enter`, `ctrl+shift+t`, `Page_Up`, `F5`, a character; any case. Unknown: ApiError `unknown_key`. */
  key(combination: string, options?: KeyOptions): Promise<void>;
  /** The current screen, including the guest's reaction to the last input. */
  screenshot(options: PictureOptions, signal?: AbortSignal): Promise<Picture>;
  /** Asks the display server for another size. False if it keeps the present one. */
  resize(size: Size, signal?: AbortSignal): Promise<boolean>;
  /**
   * Reads what has changed, and encodes nothing. Resolves to a number that differs from the last one if
   * anything has changed since.
   */
  refresh(signal?: AbortSignal): Promise<number>;
  /** The parts of the screen, as wide as it is, that have changed since a version of {@link refresh}. */
  changedSince(version: number): readonly Region[];
  /** Resolves when nothing has changed for about half a second; false if the time-out came first. */
  waitStable(options: SettleOptions): Promise<boolean>;
  /** Resolves when something in the region changes; false if the time-out came first. */
  waitChange(options: SettleOptions): Promise<boolean>;
  /** The screen for a video encoder, updated every `intervalMs` until it is stopped. */
  videoFrame(intervalMs: number): VideoFrame;
  /**
   * Waits for the guest's reaction to the last input: for the first change or a short time-out,
   * then until nothing changed for `quietMs`. False if it still changed after `maxMs`.
   */
  settle(options: QuietOptions): Promise<boolean>;
  /**
   * Copies of the pixels of regions (red, green, blue, unused; without gaps), all from the last
   * complete update. Requests nothing from the guest; see the event `damage`. Undefined for a
   * region that is no longer on the screen. `bufferOf` answers a buffer of a number of bytes, for
   * callers that use one again: a new one for each frame makes V8 collect garbage all the time.
   */
  pixels(
    regions: readonly Region[],
    signal?: AbortSignal,
    bufferOf?: (bytes: number) => Buffer,
  ): Promise<(Buffer | undefined)[]>;
  /** Sets the guest's clipboard, if the display server supports it. */
  copy(text: string): void;
  /** Sets the guest's clipboard. Rejects with ApiError `unsupported` if it has none. */
  setClipboard(text: string, signal?: AbortSignal): Promise<void>;
  /**
   * The text of the guest's clipboard, empty without one; undefined if it was last copied before this
   * connection. Rejects like {@link setClipboard}.
   */
  clipboard(signal?: AbortSignal): Promise<string | undefined>;
  /** True while the guest's clipboard has a text of this connection, and loses it with it. */
  readonly holdsText: boolean;
  /** Ends the connection; idempotent. */
  close(): void;
}

/** What has changed on a screen, for all who show it. */
export interface ScreenChanges {
  /** Grows with each change. */
  readonly version: number;
  /**
   * The regions that have changed since a version, few and perhaps some more; undefined if that is not
   * known, so that the whole screen may have changed.
   */
  since(version: number): readonly Region[] | undefined;
}

/** The screen for a video encoder: 4:2:0, BT.709, limited range, with the pointer. */
export interface VideoFrame {
  /** Width and height, both even; they change with the screen's size. */
  readonly size: Size;
  /** Grows whenever the image changes. */
  readonly version: number;
  /** False once the screen's connection has ended; the image no longer changes then. */
  readonly open: boolean;
  /** Copies the image: planes Y, U and V without gaps, `width * height * 3 / 2` bytes. */
  read(target: Buffer): void;
  /** Stops updates; idempotent. The last image can still be read. */
  stop(): void;
}

/** A text that was copied: the same object for all listeners, which share what they make of it. */
export interface CopiedText {
  readonly text: string;
}

export interface ScreenEvents {
  /** The connection ended, with the error unless {@link Screen.close} was called. */
  close: [error?: Error];
  resize: [size: Size];
  /** There are new {@link Screen.changes}. Fetched only while there is a listener. */
  damage: [];
  /** The pointer moved through this screen. */
  pointer: [at: { readonly x: number; readonly y: number }];
  /** The pointer's image changed. */
  cursor: [cursor: Cursor];
  /**
   * A program in the guest copied a text. Fetched only while there is a listener; of texts that come too
   * fast only the latest is emitted.
   */
  clipboard: [copied: CopiedText];
}
