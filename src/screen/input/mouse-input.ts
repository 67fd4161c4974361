import type { MOUSE_BUTTONS, SCROLL_DIRECTIONS } from '../../contract/constants.js';
import type { Point } from '../geometry.js';

export type Button = (typeof MOUSE_BUTTONS)[number];

export interface ClickInput {
  readonly x: number;
  readonly y: number;
  readonly button: Button;
  /** 1 to 3. */
  readonly clicks: number;
  /** Key combinations to hold during the click, as in `Screen.key`. */
  readonly keys: readonly string[];
}

/**
 * Presses a button that the protocol of the display server does not know, at the pointer's position.
 * Numbers are those of X11.
 */
export type ExtraButtons = (
  action: 'click' | 'mousedown' | 'mouseup',
  button: number,
  signal: AbortSignal | undefined,
) => Promise<void>;

/** A press or a release of a button. */
export interface ButtonInput {
  readonly button: Button;
  /** Where to move the pointer first. */
  readonly at?: Point | undefined;
  /** Key combinations to hold meanwhile. */
  readonly keys?: readonly string[] | undefined;
}

export interface DragInput {
  /** At least two points: press on the first, release on the last. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly button: Button;
  /** Milliseconds from press to release. */
  readonly durationMs: number;
  /** Key combinations to hold meanwhile. */
  readonly keys?: readonly string[] | undefined;
}

export interface ScrollInput {
  readonly direction: (typeof SCROLL_DIRECTIONS)[number];
  /** Wheel steps. */
  readonly amount: number;
  /** Where to scroll; the pointer's position by default. */
  readonly at?: { readonly x: number; readonly y: number };
  /** Key combinations to hold meanwhile. */
  readonly keys?: readonly string[] | undefined;
}

/** How a screen's pointer begins. */
export interface PointerOptions {
  readonly pointerAt: Point | undefined;
  readonly extraButtons: ExtraButtons | undefined;
}
