import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { ByteStream } from './requests.js';

/** A client that has taken nothing for so long, in milliseconds, is let go. */
const STALLED_MS = 60_000;
/** How often that is looked at. */
const CHECK_MS = 5_000;

export function isStream(payload: unknown): boolean {
  return payload instanceof Readable;
}

/** Sends bytes as they come, for as long as they come and the client takes them. */
export function sendStream(reply: FastifyReply, { data, type }: ByteStream): FastifyReply {
  const { raw } = reply;
  if (raw.destroyed || raw.closed) {
    // The client left while the stream was made: its "close" has been, and does not come again.
    data.destroy();
    return reply;
  }
  let takenAt = performance.now();
  const timer = setInterval(() => {
    if (!raw.writableNeedDrain) takenAt = performance.now();
    else if (performance.now() - takenAt > STALLED_MS) raw.destroy();
  }, CHECK_MS);
  raw.on('drain', () => {
    takenAt = performance.now();
  });
  raw.once('close', () => {
    clearInterval(timer);
    data.destroy();
  });
  return reply.type(type).send(data);
}
