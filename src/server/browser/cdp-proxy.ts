import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onAbort } from '../../lib/async/abort.js';

/** Milliseconds between two pings: proxies close a connection on which nothing moves. */
const BEAT_MS = 20_000;
/** Time for a client to close its side, in milliseconds. */
const CLOSING_MS = 1_000;
/** A client that does not read for so many beats is disconnected. */
const MOST_BEATS = 3;

const PING = Buffer.of(0x89, 0);
const GONE: CloseReason = { code: 1001, reason: 'The browser has ended.' };

/** What closes a WebSocket: a code of the registry of RFC 6455, and why in at most 123 bytes. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/**
 * Connects two ends of a WebSocket byte by byte until one has ended, each no faster than the other
 * reads. When the browser ends, or `ending` is aborted with a {@link CloseReason}, the client gets a
 * frame that closes the WebSocket. In the middle of a message this makes the text invalid, which
 * also ends the client's connection.
 */
export async function proxyCdp(
  client: Socket,
  browser: Duplex,
  ending: AbortSignal,
): Promise<void> {
  const stop = startHeartbeat(client);
  const ended = Promise.race([
    closed(client),
    closed(browser),
    // Of an SSH channel, whose other direction stays open.
    new Promise((resolve) => browser.once('end', resolve)),
  ]);
  browser.on('error', () => undefined);
  const dispose = onAbort(ending, () => browser.destroy());
  client.pipe(browser);
  browser.pipe(client, { end: false });
  try {
    await ended;
    if (!client.writable) return;
    client.end(closeFrame(ending.aborted ? (ending.reason as CloseReason) : GONE));
    // Its last bytes are read, so that the connection can close.
    client.unpipe(browser).resume();
    setTimeout(() => client.destroy(), CLOSING_MS).unref();
  } finally {
    dispose();
    stop();
    browser.destroy();
  }
}

function closed(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.once('close', resolve);
  });
}

/**
 * Pings an idle client, and disconnects one that is gone or does not read. Nothing has moved for a whole
 * beat then, so that no frame of the browser is cut in two.
 */
function startHeartbeat(client: Socket): () => void {
  client.setNoDelay(true);
  client.setKeepAlive(true, BEAT_MS);
  let sent = client.bytesWritten;
  let beats = 0;
  const beat = setInterval(() => {
    const isIdle = client.bytesWritten - client.writableLength === sent;
    if (!isIdle) beats = 0;
    else if (client.writableLength > 0) beats += 1;
    else client.write(PING);
    sent = client.bytesWritten - client.writableLength;
    if (beats >= MOST_BEATS) client.destroy();
  }, BEAT_MS);
  client.once('close', () => clearInterval(beat));
  return () => clearInterval(beat);
}

function closeFrame({ code, reason }: CloseReason): Buffer {
  const payload = Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(reason)]);
  return Buffer.concat([Buffer.of(0x88, payload.length), payload]);
}
