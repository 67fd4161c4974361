import type { Writable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ByteStream } from '../requests.js';

/** A client that reads nothing for this many milliseconds is disconnected. */
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

/** Disconnects a client that reads nothing although there is something for it. */
export function dropStalledReader(raw: Writable): void {
  let takenAt = performance.now();
  const timer = setInterval(() => {
    // The end was read when the answer closes.
    if (!raw.writableNeedDrain && !raw.writableEnded) takenAt = performance.now();
    else if (performance.now() - takenAt > STALLED_MS) raw.destroy();
  }, CHECK_MS);
  raw.on('drain', () => {
    takenAt = performance.now();
  });
  raw.once('close', () => clearInterval(timer));
}
