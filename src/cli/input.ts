import type { Context } from './context.js';
import { InterruptedError, UsageError } from './errors.js';

/** All of stdin as text; UsageError when it is not UTF-8. */
export async function readAll({ io, interrupts }: Context): Promise<string> {
  const chunks: Buffer[] = [];
  const { signal } = interrupts;
  const stop = () => io.stdin.destroy(new InterruptedError());
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  } finally {
    signal.removeEventListener('abort', stop);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError('stdin is not UTF-8 text');
  }
}
