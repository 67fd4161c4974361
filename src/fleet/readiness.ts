import { ApiError } from '../contract/errors.js';
import type { Session } from './session.js';
import { untilSuccess, withDeadline } from './time.js';

/** Our images bring a program that waits for the window manager; others are ready when they answer. */
const READY_SCRIPT = '[ ! -x /usr/lib/vc/ready ] || exec /usr/lib/vc/ready';

/**
 * What an attempt may take, in milliseconds: after one that took all of it the next has half as long
 * again, up to `longest`, for an emulated machine on a host that is that busy.
 */
export interface AttemptLimits {
  readonly first: number;
  readonly longest: number;
}

/** An attempt's end is told in the guest a little earlier. */
const MARGIN_MS = 1_000;

/**
 * Resolves when the machine can be worked with: its first frame is there, the window manager runs
 * and a command was answered. Rejects with `guest_timeout` after `ms` milliseconds, saying what it
 * waited for. What does not answer within an attempt's time is given up and tried afresh.
 */
export async function ready(
  session: Session,
  ms: number,
  signal: AbortSignal,
  limits: AttemptLimits,
): Promise<void> {
  const waiting = new Map<string, string>();
  const attempts = (
    what: string,
    attempt: (signal: AbortSignal, withinMs: number) => Promise<void>,
  ) => {
    waiting.set(what, 'no answer');
    let withinMs = limits.first;
    return untilSuccess(async () => {
      const begun = performance.now();
      try {
        await withDeadline(withinMs, 'no answer', deadline.signal, (s) => attempt(s, withinMs));
        waiting.delete(what);
      } catch (error) {
        waiting.set(what, error instanceof Error ? error.message : String(error));
        const isLate = performance.now() - begun > withinMs - MARGIN_MS;
        if (isLate) withinMs = Math.min(withinMs * 1.5, limits.longest);
        throw error;
      }
    }, deadline.signal);
  };
  const deadline = new AbortController();
  try {
    await withDeadline(ms, '', signal, (inner) => {
      inner.addEventListener('abort', () => deadline.abort(inner.reason), { once: true });
      return Promise.all([
        attempts('screen', (s) => firstFrame(session, s)),
        session.hasShell().then(async (has) => {
          if (has) await attempts('shell', (s, withinMs) => runReady(session, s, withinMs));
        }),
      ]);
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'guest_timeout')) throw error;
    const reasons = [...waiting].map(([what, reason]) => `${what}: ${reason}`).join('; ');
    const message = `The desktop was not ready within ${ms / 1000} s (${reasons}).`;
    throw new ApiError('guest_timeout', message, { cause: error });
  } finally {
    deadline.abort();
  }
}

function firstFrame({ screen }: Session, signal: AbortSignal): Promise<void> {
  return orClose(screen, signal, () => screen.use(async () => undefined, signal));
}

async function runReady({ shell }: Session, signal: AbortSignal, ms: number): Promise<void> {
  const input = {
    command: READY_SCRIPT,
    timeoutMs: Math.max(ms - MARGIN_MS, MARGIN_MS),
    background: false,
    signal,
  };
  const result = await orClose(shell, signal, () => shell.use((open) => open.run(input), signal));
  if (result.timedOut) throw new ApiError('guest_failed', 'the desktop is not painted yet');
  if (result.exitCode !== 0) throw new ApiError('guest_failed', result.stderr.trim());
}

/**
 * A connection over which nothing comes in time is closed at that moment, not when the work over it
 * ends at last: by then the next attempt may have opened another one, which is in use.
 */
async function orClose<T>(
  link: { close(): void },
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const onAbort = () => link.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
