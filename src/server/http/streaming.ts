import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ByteStream } from '../requests.js';

/** A client that reads or sends nothing for this many milliseconds is disconnected. */
const STALLED_MS = 60_000;
/** Interval of that check. */
const CHECK_MS = 5_000;

/** Sends a stream until it ends or the client stalls or disconnects. */
export function sendStream(reply: FastifyReply, { data, type }: ByteStream): FastifyReply {
  const { raw } = reply;
  if (raw.destroyed || raw.closed) {
    // The client disconnected before the stream was ready; "close" was already emitted.
    data.destroy();
    return reply;
  }
  dropStalledReader(raw);
  raw.once('close', () => data.destroy());
  return reply.type(type).send(data);
}

/** Disconnects a client that reads nothing although there is something for it: `raw` is its answer or socket. */
export function dropStalledReader(raw: Writable & { readonly req?: IncomingMessage }): void {
  let takenAt = performance.now();
  const timer = setInterval(() => {
    // An answer that waits for earlier ones on its connection emits no "close".
    if (raw.destroyed || raw.req?.socket.destroyed) return clearInterval(timer);
    // The end was read when the answer closes.
    if (!raw.writableNeedDrain && !raw.writableEnded) takenAt = performance.now();
    else if (performance.now() - takenAt > STALLED_MS) raw.destroy();
  }, CHECK_MS);
  raw.on('drain', () => {
    takenAt = performance.now();
  });
  raw.once('close', () => clearInterval(timer));
}

/**
 * Disconnects a client that sends nothing of the rest of its body although it is read. Returns how to stop
 * that.
 */
export function dropStalledSender(request: IncomingMessage): () => void {
  const { socket } = request;
  let received = socket.bytesRead;
  let takenAt = performance.now();
  const timer = setInterval(() => {
    if (request.complete || socket.isPaused() || socket.bytesRead !== received) {
      received = socket.bytesRead;
      takenAt = performance.now();
    } else if (performance.now() - takenAt > STALLED_MS) {
      socket.destroy();
    }
  }, CHECK_MS);
  return () => clearInterval(timer);
}
