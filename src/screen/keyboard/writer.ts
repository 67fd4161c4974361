import { keyEvent } from '../rfb/messages.js';

/** Turns keysyms into the messages that a kind of server understands. */
export interface KeyWriter {
  /** Milliseconds that a key stays down, and that follow its release; 0: as fast as can be. */
  readonly paceMs: number;
  /** What to press for a combination, in order. Throws ApiError `unsupported` for what it lacks. */
  resolve(keysyms: readonly number[]): number[];
  press(keysym: number): Buffer;
  release(keysym: number): Buffer;
}

/**
 * Keys as keysyms: the display server finds the key, and adds the Shift that it needs or takes
 * it away for the moment, whether Caps Lock is on or not.
 */
export const keysymWriter: KeyWriter = {
  paceMs: 0,
  resolve: (keysyms) => [...keysyms],
  press: (keysym) => keyEvent('press', keysym),
  release: (keysym) => keyEvent('release', keysym),
};
