import { ApiError } from '../contract/errors.js';
import type { Session } from './session.js';
import { untilSuccess, withDeadline } from './time.js';

/** Our images bring a program that waits for the window manager; others are ready when they answer. */
const READY_SCRIPT = '[ ! -x /usr/lib/vc/ready ] || exec /usr/lib/vc/ready';

/**
 * Resolves when the machine can be worked with: its first frame is there, the window manager runs
 * and a command was answered. Rejects with `guest_timeout` after `ms` milliseconds.
 */
export async function ready(session: Session, ms: number, signal: AbortSignal): Promise<void> {
  const message = `The desktop was not ready within ${ms / 1000} s.`;
  await withDeadline(ms, message, signal, async (inner) => {
    const frame = untilSuccess(() => session.screen.use(async () => undefined, inner), inner);
    const command = untilSuccess(() => runReady(session, ms, inner), inner);
    await Promise.all([frame, command]);
  });
}

async function runReady(session: Session, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const result = await session.shell.use(
    (shell) => shell.run({ command: READY_SCRIPT, timeoutMs, background: false, signal }),
    signal,
  );
  if (result.exitCode !== 0) {
    throw new ApiError('guest_failed', `The desktop did not start: ${result.stderr.trim()}`);
  }
}
