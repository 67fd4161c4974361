import type { EventEmitter } from 'node:events';
import type { ImageFormat } from '../contract/actions.js';

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
  /** Ends the connection; idempotent. */
  close(): void;
}

export interface ScreenEvents {
  /** The connection ended; with the error if it was not {@link Screen.close}. */
  close: [error?: Error];
  resize: [size: Size];
  /** Pixels changed. */
  damage: [region: Region];
}
