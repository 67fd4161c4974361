import type { Interrupts } from '../interrupts.js';

/**
 * What ends child processes together with this one (signal-exit, of execa) passes on a signal by
 * sending it again at once: nobody has asked a second time then.
 */
const ECHO_MS = 300;

/** Resolves when the process is asked to stop; `again` is called when it is asked once more. */
export function untilAsked(
  interrupts: Pick<Interrupts, 'capture'>,
  again: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    interrupts.capture(() => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        resolve();
      } else if (performance.now() - askedAt >= ECHO_MS) again();
    });
  });
}
