import { sleep } from '../../lib/async/sleep.js';

const LOOK_MS = 2_000;
/** Corrections of a time server are far smaller in two looks. */
const JUMP_MS = 500;

/** The clocks of this host, in milliseconds. */
export interface HostClocks {
  wall(): number;
  /** Stands still while the host is suspended. */
  monotonic(): number;
}

const CLOCKS: HostClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Calls `onJump` when the wall clock has jumped: the host was suspended, or its clock was set. The
 * clocks of guests do not follow. Ends with the signal.
 */
export async function watchHostClock(
  onJump: () => Promise<void>,
  signal: AbortSignal,
  clocks: HostClocks = CLOCKS,
  lookMs = LOOK_MS,
): Promise<void> {
  const difference = () => clocks.wall() - clocks.monotonic();
  let before = difference();
  while (!signal.aborted) {
    await sleep(lookMs, signal);
    const now = difference();
    if (Math.abs(now - before) < JUMP_MS) continue;
    before = now;
    await onJump();
  }
}
