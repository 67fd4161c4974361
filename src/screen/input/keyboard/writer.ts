import { keyEvent } from '../../rfb/messages.js';

/** Encodes key presses for one kind of server. */
export interface KeyWriter {
  /** Milliseconds to wait after each press and each release; 0: none. */
  readonly keyIntervalMs: number;
  /** The keys to press for a combination, in order. Throws ApiError `unsupported` for a missing key. */
  resolve(keysyms: readonly number[]): number[];
  press(keysym: number): Buffer;
  release(keysym: number): Buffer;
}

/**
 * Keys as keysyms: the display server finds the key and temporarily presses or releases Shift as
 * needed, with Caps Lock on or off.
 */
export const keysymWriter: KeyWriter = {
  keyIntervalMs: 0,
  resolve: (keysyms) => [...keysyms],
  press: (keysym) => keyEvent('press', keysym),
  release: (keysym) => keyEvent('release', keysym),
};
