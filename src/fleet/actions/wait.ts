import type { Wait, WaitResult } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Session } from '../sessions/session.js';

/** Waits for a time or for the screen. Throws `guest_timeout` if the screen does not become stable. */
export async function wait(
  session: Session,
  input: Wait,
  signal?: AbortSignal,
): Promise<WaitResult> {
  const startedAt = performance.now();
  const changed = await waitFor(session, input, signal);
  const waited = Math.round(performance.now() - startedAt) / 1000;
  return { success: true, waited, ...(changed === undefined ? {} : { changed }) };
}

/** Whether the screen changed, if the wait was for that. */
async function waitFor(
  session: Session,
  { until, duration, seconds, region, timeout }: Wait,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  if (until === undefined) {
    await sleep((duration ?? seconds ?? 0) * 1000, signal);
    session.lastUsed = performance.now();
    return undefined;
  }
  const [x, y, width, height] = region ?? [];
  const isWhole = x === undefined || y === undefined || width === undefined || height === undefined;
  const options = {
    timeoutMs: timeout * 1000,
    ...(isWhole ? {} : { region: { x, y, width, height } }),
    ...(signal ? { signal } : {}),
  };
  if (until === 'change') return session.screen.use((screen) => screen.waitChange(options), signal);
  const isStable = await session.screen.use((screen) => screen.waitStable(options), signal);
  if (isStable) return undefined;
  throw new ApiError('guest_timeout', `The screen kept changing for ${timeout} s.`, {
    remedy: 'Wait longer: --timeout SECONDS',
  });
}
