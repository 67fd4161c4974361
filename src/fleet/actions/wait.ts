import type { MetCondition, Wait, WaitResult } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Session } from '../sessions/session.js';
import { untilMet, WAIT_LONGER } from './conditions.js';
import type { Locating } from './running-computers.js';

/**
 * Waits for a time, for the screen or for a condition. Throws `guest_timeout` if the screen does not
 * become stable or the condition is not met.
 */
export async function wait(
  session: Session,
  elements: Pick<Locating, 'all' | 'text'>,
  input: Wait,
  signal?: AbortSignal,
): Promise<WaitResult> {
  const startedAt = performance.now();
  const found = await waitFor(session, elements, input, signal);
  const waited = Math.round(performance.now() - startedAt) / 1000;
  return { success: true, waited, ...found };
}

async function waitFor(
  session: Session,
  elements: Pick<Locating, 'all' | 'text'>,
  { until, duration, seconds, region, timeout }: Wait,
  signal?: AbortSignal,
): Promise<{ changed?: boolean; met?: MetCondition[] }> {
  if (until === undefined) {
    await sleep((duration ?? seconds ?? 0) * 1000, signal);
    session.lastUsed = performance.now();
    return {};
  }
  if (typeof until === 'object') {
    return { met: await untilMet({ session, elements, seconds: timeout }, until, signal) };
  }
  const [x, y, width, height] = region ?? [];
  const isWhole = x === undefined || y === undefined || width === undefined || height === undefined;
  const options = {
    timeoutMs: timeout * 1000,
    ...(isWhole ? {} : { region: { x, y, width, height } }),
    ...(signal ? { signal } : {}),
  };
  if (until === 'change') {
    return { changed: await session.screen.use((screen) => screen.waitChange(options), signal) };
  }
  const isStable = await session.screen.use((screen) => screen.waitStable(options), signal);
  if (isStable) return {};
  throw new ApiError('guest_timeout', `The screen kept changing for ${timeout} s.`, {
    remedy: WAIT_LONGER,
  });
}
