import type { Duplex } from 'node:stream';
import type { ExtraButtons } from './input/mouse-input.js';
import { UpdateScheduler } from './model/update-scheduler.js';
import { Connection } from './rfb/connection.js';
import type { PixelEncoding } from './rfb/constants.js';
import { UpdateLimit } from './rfb/update-limit.js';
import { RfbScreen } from './screen.js';
import type { Screen } from './types.js';
import type { GuestSpeed, Programs } from './typing/typist.js';

export type * from './types.js';
export { UpdateLimit };

export interface OpenScreenOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the first complete frame; 10,000 by default. */
  readonly timeoutMs?: number;
  /**
   * The requested pixel encoding: `raw` (the default) for fast connections, `hextile` for slow
   * ones. A server without Hextile sends raw pixels.
   */
  readonly pixels?: PixelEncoding;
  /** How fast the guest's programs are: `native` by default. */
  readonly speed?: GuestSpeed;
  /** What receives the keys: `x11` by default. */
  readonly programs?: Programs;
  /**
   * The pointer's position, if known: where an earlier connection left it ({@link Screen.pointer}),
   * or the middle of the screen of a computer that has just started. The pointer is moved there,
   * so that the display server does not draw it into the frame. Without a position the pointer is
   * not moved, and the server may draw it until the first input.
   */
  readonly pointer?: { readonly x: number; readonly y: number };
  /** Presses the buttons back and forward if the display server does not read them. */
  readonly extraButtons?: ExtraButtons | undefined;
  /** Of all connections to this computer together; by default one for this connection alone. */
  readonly limit?: UpdateLimit;
}

/**
 * Opens a screen over the stream of an RFB server and takes ownership of the stream. Resolves
 * when the first complete frame has arrived. Rejects with ApiError `guest_timeout` when that takes
 * too long, `guest_failed` when the server breaks the protocol or refuses, or the signal's reason,
 * and destroys the stream.
 */
export async function openScreen(stream: Duplex, options: OpenScreenOptions = {}): Promise<Screen> {
  const { signal, timeoutMs = 10_000, pixels = 'raw' } = options;
  const { speed = 'native', programs = 'x11', pointer, extraButtons } = options;
  const { limit = new UpdateLimit() } = options;
  const deadline = performance.now() + timeoutMs;
  const connection = await Connection.open(stream, { signal, timeoutMs, pixels, limit });
  try {
    const updates = new UpdateScheduler(connection);
    await updates.sync(signal, Math.max(1, deadline - performance.now()));
    const screen = new RfbScreen(connection, updates, {
      speed,
      programs,
      extraButtons,
      pointerAt: pointer,
    });
    if (pointer !== undefined) await screen.claimPointer(signal);
    return screen;
  } catch (error) {
    connection.close();
    stream.destroy();
    throw error;
  }
}
