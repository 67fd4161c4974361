import { ApiError } from '../contract/errors.js';
import type { Session } from './session.js';
import { untilSuccess, withDeadline } from './time.js';

/** Our images bring a program that waits for the window manager; others are ready when they answer. */
const READY_SCRIPT = '[ ! -x /usr/lib/vc/ready ] || exec /usr/lib/vc/ready';

/** A connection or command that takes longer than this is given up and tried afresh. */
const ATTEMPT_MS = 6_000;

/**
 * Resolves when the machine can be worked with: its first frame is there, the window manager runs
 * and a command was answered. Rejects with `guest_timeout` after `ms` milliseconds, saying what it
 * waited for.
 */
export async function ready(session: Session, ms: number, signal: AbortSignal): Promise<void> {
  const waiting = new Map<string, string>();
  const attempts = (what: string, attempt: (signal: AbortSignal) => Promise<void>) => {
    waiting.set(what, 'no answer');
    return untilSuccess(
      () =>
        withDeadline(ATTEMPT_MS, 'no answer', signal, attempt).then(
          () => waiting.delete(what),
          (error: unknown) => {
            waiting.set(what, error instanceof Error ? error.message : String(error));
            throw error;
          },
        ),
      deadline.signal,
    );
  };
  const deadline = new AbortController();
  try {
    await withDeadline(ms, '', signal, (inner) => {
      inner.addEventListener('abort', () => deadline.abort(inner.reason), { once: true });
      return Promise.all([
        attempts('screen', (s) => firstFrame(session, s)),
        session.hasShell().then((has) => has && attempts('shell', (s) => runReady(session, s))),
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

async function firstFrame(session: Session, signal: AbortSignal): Promise<void> {
  await session.screen
    .use(async () => undefined, signal)
    .catch((error) => {
      if (signal.aborted) session.screen.close();
      throw error;
    });
}

async function runReady(session: Session, signal: AbortSignal): Promise<void> {
  const input = { command: READY_SCRIPT, timeoutMs: ATTEMPT_MS - 1_000, background: false, signal };
  const result = await session.shell
    .use((shell) => shell.run(input), signal)
    .catch((error) => {
      if (signal.aborted) session.shell.close();
      throw error;
    });
  if (result.timedOut) throw new ApiError('guest_failed', 'the desktop is not painted yet');
  if (result.exitCode !== 0) throw new ApiError('guest_failed', result.stderr.trim());
}
