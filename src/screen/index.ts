import type { Duplex } from 'node:stream';
import { Connection } from './rfb/connection.js';
import type { PixelEncoding } from './rfb/constants.js';
import { RfbScreen } from './screen.js';
import type { Screen } from './types.js';
import type { Pace, Programs } from './typing/typist.js';
import { Updates } from './updates.js';

export type * from './types.js';

export interface OpenScreenOptions {
  /** For VNC Authentication, if the server asks for it. */
  readonly password?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds until the first whole picture is there; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * How the server is asked to send pixels: `raw` (the default) where bytes cost little, `hextile`
   * where the way is slow. A server that knows no Hextile sends them raw all the same.
   */
  readonly pixels?: PixelEncoding;
  /** How fast the guest's programs are: `native` by default. */
  readonly pace?: Pace;
  /** What takes the keys: `x11` by default. */
  readonly programs?: Programs;
  /**
   * Where the pointer is known to be: where an earlier connection left it ({@link Screen.pointer}),
   * or the middle of the screen of a computer that has just started. The pointer is put there, so
   * that the display server leaves it out of the picture. Unknown if left out: nothing is moved,
   * and the server may draw the pointer into pictures until the first input.
   */
  readonly pointer?: { readonly x: number; readonly y: number };
}

/**
 * Opens the screen behind an RFB server's stream, which it owns from now on. Resolves when the
 * first whole picture has arrived. Rejects with ApiError `guest_timeout` when that takes too
 * long, `guest_failed` when the server breaks the protocol or refuses, or the signal's reason;
 * the stream is destroyed then.
 */
export async function openScreen(stream: Duplex, options: OpenScreenOptions = {}): Promise<Screen> {
  const { password, signal, timeoutMs = 10_000, pixels = 'raw' } = options;
  const { pace = 'native', programs = 'x11', pointer } = options;
  const deadline = performance.now() + timeoutMs;
  const connection = await Connection.open(stream, { password, signal, timeoutMs, pixels });
  try {
    const updates = new Updates(connection);
    await updates.sync(signal, Math.max(1, deadline - performance.now()));
    const screen = new RfbScreen(connection, updates, { pace, programs, pointerAt: pointer });
    if (pointer !== undefined) await screen.claimPointer(signal);
    return screen;
  } catch (error) {
    connection.close();
    stream.destroy();
    throw error;
  }
}
