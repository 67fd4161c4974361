import { ApiError } from '../../contract/errors.js';
import { within } from '../../lib/async/deadline.js';
import type { DirectTransfer } from './direct.js';

/** Most bytes that wait to be sent. */
const MOST_WAITING = 1024 * 1024;
/** Time for the program to end after the last byte, in milliseconds. */
const END_MS = 15_000;

/** Sends a part of a file, and waits while too much is on its way. Rejects as the program fails. */
export async function sendDirect(direct: DirectTransfer, chunk: Buffer): Promise<void> {
  const { stream, done } = direct;
  if (stream.destroyed) return done;
  stream.write(chunk);
  if (stream.writableLength < MOST_WAITING) return;
  const isClosed = await new Promise<boolean>((resolve) => {
    const settle = (closed: boolean) => {
      stream.off('drain', onDrain).off('close', onClose);
      resolve(closed);
    };
    const onDrain = () => settle(false);
    const onClose = () => settle(true);
    stream.on('drain', onDrain).on('close', onClose);
  });
  if (isClosed) await done;
}

/** Ends the file. Resolves when the program has written all of it. */
export async function finishDirect({ stream, done }: DirectTransfer): Promise<void> {
  stream.end();
  const onTimeout = () => new ApiError('guest_timeout', 'The computer did not end the transfer.');
  await within(done, { ms: END_MS, onTimeout });
}
