import { onAbort } from '../../../lib/async/abort.js';
import { sizeText } from '../../../lib/fs/read-bounded.js';
import { InterruptedError, UsageError } from '../../errors/cli-error.js';
import type { Context } from '../../framework/context.js';

/** Longest text that is read, in bytes: a request to the service has no room for more. */
export const MOST_TEXT = 8 << 20;

/** Reads all of stdin as text. Throws UsageError if it is too long or not UTF-8. */
export async function readAll({ io, interrupts }: Context): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const dispose = onAbort(interrupts.signal, () => io.stdin.destroy(new InterruptedError()));
  try {
    for await (const chunk of io.stdin) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length > MOST_TEXT) throw new UsageError(`stdin is larger than ${sizeText(MOST_TEXT)}`);
    }
  } finally {
    dispose();
  }
  return decodeText(Buffer.concat(chunks), 'stdin');
}

/** Decodes UTF-8. Throws UsageError that names the source if it is something else. */
export function decodeText(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8 text`);
  }
}
