import type { Context } from '../../framework/context.js';
import { Interrupts } from '../../framework/interrupts.js';
import { write } from '../../framework/io.js';

/**
 * Runs `work`, which continues until Ctrl-C: that aborts the requests of the context that `work` gets,
 * and is no failure.
 */
export async function untilInterrupted(
  context: Context,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const interrupts = new Interrupts();
  const release = context.interrupts.capture((signal) => interrupts.trigger(signal));
  try {
    await work({ ...context, interrupts });
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    // On a terminal the cursor is behind an echoed ^C.
    if (context.io.stderr.isTTY) await write(context.io.stderr, '\n');
  } finally {
    release();
  }
}
