import type { Readable } from 'node:stream';
import { onAbort } from '../async/abort.js';

const EVENTS = ['readable', 'end', 'close'] as const;

/**
 * The next `length` bytes of a stream, which keeps the rest. Rejects when it ends before, or with the
 * reason of the signal.
 */
export async function readExactly(
  stream: Readable,
  length: number,
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted();
  let take = () => {};
  let dispose = () => {};
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      take = () => {
        const bytes = stream.read(length) as Buffer | null;
        if (bytes?.length === length) {
          stream.off('readable', take);
          resolve(bytes);
        } else if (bytes !== null || stream.readableEnded || stream.destroyed) {
          reject(stream.errored ?? new Error('the connection ended early'));
        }
      };
      dispose = onAbort(signal, reject);
      // They stay until all bytes are there: if some are, a new listener is called at once.
      for (const event of EVENTS) stream.on(event, take);
    });
  } finally {
    for (const event of EVENTS) stream.off(event, take);
    dispose();
  }
}
