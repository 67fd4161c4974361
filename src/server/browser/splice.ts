import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort } from '../../lib/async/abort.js';
import { FrameBoundary } from './frame-boundary.js';

/** Milliseconds between two pings: proxies close a connection on which nothing moves. */
const BEAT_MS = 20_000;
/** Time for a client to close its side, in milliseconds. */
const FAREWELL_MS = 1_000;
/** A client that does not read for so many beats is disconnected. */
const MOST_BEATS = 3;

const PING = Buffer.of(0x89, 0);
const GONE: Farewell = { code: 1001, reason: 'The browser has ended.' };

/** What closes a WebSocket: a code of the registry of RFC 6455, and why in at most 123 bytes. */
export interface Farewell {
  readonly code: number;
  readonly reason: string;
}

/**
 * Connects two ends of a WebSocket byte by byte until one has ended, each no faster than the other
 * reads. When the browser ends without a word, or `ending` is aborted with a {@link Farewell}, the
 * client gets a frame that closes the WebSocket.
 */
export async function splice(client: Socket, browser: Duplex, ending: AbortSignal): Promise<void> {
  const frames = new FrameBoundary();
  const stop = startHeartbeat(client, frames);
  const sent = new Promise<void>((resolve) => frames.once('end', resolve));
  const left = new Promise<void>((resolve) => {
    if (client.destroyed) resolve();
    else client.once('close', () => resolve());
  });
  browser.on('error', () => undefined);
  browser.once('close', () => frames.end());
  const dispose = onAbort(ending, () => browser.destroy());
  client.pipe(browser);
  browser.pipe(frames).pipe(client, { end: false });
  try {
    await Promise.race([sent, left]);
    if (!client.writable) return;
    if (frames.isBetween && !frames.hasClosed)
      client.write(closeFrame(ending.aborted ? (ending.reason as Farewell) : GONE));
    client.end();
    // Its last bytes are read, so that the connection can close.
    client.unpipe(browser).resume();
    setTimeout(() => client.destroy(), FAREWELL_MS).unref();
  } finally {
    dispose();
    stop();
    browser.destroy();
  }
}

/** Pings an idle client between two frames, and disconnects one that is gone or does not read. */
function startHeartbeat(client: Socket, frames: FrameBoundary): () => void {
  client.setNoDelay(true);
  client.setKeepAlive(true, BEAT_MS);
  let sent = client.bytesWritten;
  let beats = 0;
  const beat = setInterval(() => {
    const now = client.bytesWritten - client.writableLength;
    const isIdle = now === sent;
    if (!isIdle) beats = 0;
    else if (client.writableLength > 0) beats += 1;
    else if (frames.isBetween && !frames.hasClosed) client.write(PING);
    sent = client.bytesWritten - client.writableLength;
    if (beats >= MOST_BEATS) client.destroy();
  }, BEAT_MS);
  client.once('close', () => clearInterval(beat));
  return () => clearInterval(beat);
}

function closeFrame({ code, reason }: Farewell): Buffer {
  const payload = Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]);
  return Buffer.concat([Buffer.of(0x88, payload.length), payload]);
}
