import type { EventEmitter } from 'node:events';
import type { ImageFormat } from '../contract/actions.js';
import type { Cursor } from './cursor.js';
import type { RawInput } from './raw-input.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels, origin top left. */
export interface Region extends Size {
  readonly x: number;
  readonly y: number;
}

export type Button = 'left' | 'middle' | 'right';

export interface ClickInput {
  readonly x: number;
  readonly y: number;
  readonly button: Button;
  /** 1 to 3. */
  readonly clicks: number;
  /** Names of keys held meanwhile, as in {@link Screen.key}. */
  readonly keys: readonly string[];
}

export interface DragInput {
  /** At least two points: press on the first, release on the last. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly button: Button;
  /** Milliseconds from press to release. */
  readonly durationMs: number;
}

export interface ScrollInput {
  readonly direction: 'up' | 'down' | 'left' | 'right';
  /** Wheel steps. */
  readonly amount: number;
  /** Where to turn the wheel; where the pointer is, if left out. */
  readonly at?: { readonly x: number; readonly y: number };
}

export interface PictureOptions {
  readonly format: ImageFormat;
  /** 1 to 100, for jpeg and webp. */
  readonly quality: number;
  /** Factor on width and height, above 0 to 1. */
  readonly scale: number;
  readonly region?: Region;
  /** Draw the pointer in. */
  readonly cursor: boolean;
}

export interface Picture extends Size {
  readonly data: Buffer;
  readonly format: ImageFormat;
}

export interface SettleOptions {
  readonly region?: Region;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface QuietOptions {
  /** Nothing has to change for so long, milliseconds. */
  readonly quietMs: number;
  /** Longest wait, milliseconds. */
  readonly maxMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A machine's screen, mouse and keyboard over one RFB connection.
 *
 * Input methods resolve when the display server has taken the input. They must not run at the
 * same time; the caller puts them in a row. Each releases every key and button that it pressed,
 * whatever happens. Coordinates outside the screen are an ApiError `off_screen` that says its size.
 */
export interface Screen extends EventEmitter<ScreenEvents> {
  readonly size: Size;
  /** False once the connection has ended; every method then rejects. */
  readonly open: boolean;
  /** Where the pointer was last put through this screen; in the middle at first. */
  readonly pointer: { readonly x: number; readonly y: number };
  /** The pointer's picture, once the display server has told it. */
  readonly cursor: Cursor | undefined;
  /** Single events of a person's mouse and keyboard, which tell apart what is still held. */
  readonly raw: RawInput;
  move(x: number, y: number, signal?: AbortSignal): Promise<void>;
  click(input: ClickInput, signal?: AbortSignal): Promise<void>;
  drag(input: DragInput, signal?: AbortSignal): Promise<void>;
  scroll(input: ScrollInput, signal?: AbortSignal): Promise<void>;
  /** Any Unicode text, exactly; newline is Enter, tab is Tab. */
  type(text: string, options?: { delayMs?: number; signal?: AbortSignal }): Promise<void>;
  /** `Enter`, `ctrl+shift+t`, `Page_Up`, `F5`, a character; any case. Unknown: ApiError `unknown_key`. */
  key(combination: string, options?: { holdMs?: number; signal?: AbortSignal }): Promise<void>;
  /** The present screen: shows all that was painted in answer to the input before it. */
  screenshot(options: PictureOptions, signal?: AbortSignal): Promise<Picture>;
  /** Resolves when nothing has changed for about half a second; false if the time-out came first. */
  waitStable(options: SettleOptions): Promise<boolean>;
  /** Resolves when something in the region changes; false if the time-out came first. */
  waitChange(options: SettleOptions): Promise<boolean>;
  /** The screen as pictures for a video, current to `intervalMs` milliseconds until it is stopped. */
  film(intervalMs: number): Film;
  /**
   * Lets the guest answer the last input: waits for the first change or a short time-out, then
   * until nothing changed for `quietMs`. False if it still changed after `maxMs`.
   */
  settle(options: QuietOptions): Promise<boolean>;
  /**
   * Copies of the pixels of regions (red, green, blue, unused; without gaps), all of one whole
   * picture: the last that came. Asks the guest for nothing; see the event `damage`. Of a region
   * that is no longer on the screen the copy is undefined.
   */
  pixels(regions: readonly Region[], signal?: AbortSignal): Promise<(Buffer | undefined)[]>;
  /** Puts a text on the guest's clipboard, where the display server can. */
  copy(text: string): void;
  /** Ends the connection; idempotent. */
  close(): void;
}

/** What the screen shows, for a video encoder: 4:2:0, BT.709, limited range, pointer drawn in. */
export interface Film {
  /** Width and height, both even; they change with the screen's. */
  readonly size: Size;
  /** Grows whenever the picture changes. */
  readonly version: number;
  /** False once the screen's connection has ended: the picture stays as it was last. */
  readonly open: boolean;
  /** Copies the picture: planes Y, U and V without gaps, `width * height * 3 / 2` bytes. */
  read(target: Buffer): void;
  /** Ends it; idempotent. The last picture can still be read. */
  stop(): void;
}

export interface ScreenEvents {
  /** The connection ended; with the error if it was not {@link Screen.close}. */
  close: [error?: Error];
  resize: [size: Size];
  /** Pixels changed. */
  damage: [region: Region];
  /** The pointer was put elsewhere through this screen. */
  pointer: [at: { readonly x: number; readonly y: number }];
  /** The pointer has another picture. */
  cursor: [cursor: Cursor];
  /** A program in the guest copied a text. Only those that somebody listens for are fetched. */
  clipboard: [text: string];
}
