import type { Interrupts } from '../framework/interrupts.js';

/** execa's signal-exit sends a signal again at once; that is not a second request to stop. */
const ECHO_MS = 300;

/** Resolves at the first request to stop; calls `onSecond` at the second. */
export function untilStopped(
  interrupts: Pick<Interrupts, 'capture'>,
  onSecond: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    interrupts.capture(() => {
      if (stoppedAt === undefined) {
        stoppedAt = performance.now();
        resolve();
      } else if (performance.now() - stoppedAt >= ECHO_MS) onSecond();
    });
  });
}
