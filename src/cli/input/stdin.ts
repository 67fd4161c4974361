import { onAbort } from '../../lib/async/abort.js';
import { InterruptedError, UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';

/** Reads all of stdin as text. Throws UsageError if it is not UTF-8. */
export async function readAll({ io, interrupts }: Context): Promise<string> {
  const chunks: Buffer[] = [];
  const dispose = onAbort(interrupts.signal, () => io.stdin.destroy(new InterruptedError()));
  try {
    for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  } finally {
    dispose();
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError('stdin is not UTF-8 text');
  }
}
