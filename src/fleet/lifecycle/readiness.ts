import { ApiError } from '../../contract/errors.js';
import type { Isolation } from '../../engines/engine.js';
import { abortable, onAbort } from '../../lib/async/abort.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { retryUntilSuccess } from '../../lib/async/retry.js';
import { excerpt } from '../../lib/text/printable.js';
import { publicMessage } from '../errors/public-message.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';

/** Our images have a program that waits for the window manager; others are ready when they answer. */
export const READY_SCRIPT = '[ ! -x /usr/lib/vc/ready ] || exec /usr/lib/vc/ready';

/**
 * Time limits of an attempt, in milliseconds. After a timeout the next limit is 1.5 times as long, up
 * to `longest`, for emulated machines on a busy host.
 */
export interface AttemptLimits {
  readonly first: number;
  readonly longest: number;
}

const NATIVE = { withinMs: 90_000, attempt: { first: 6_000, longest: 6_000 } } as const;

/** Programs of the desktop that run, on one line, and the last lines of what its programs have printed. */
const STATE_SCRIPT =
  'echo $(ps -o comm= -C xfwm4,xfdesktop,xfce4-panel,xprop,scrot); tail -n 4 ~/.xsession-errors';
const STATE_MS = 5_000;
/** Characters of the errors that are repeated. */
const MOST_ERRORS = 600;

const NOT_PAINTED = 'the desktop is not painted yet';

/** How long a machine may take to become ready, and each attempt. Emulated guests boot slowly. */
export const READINESS: Readonly<
  Record<Isolation, { readonly withinMs: number; readonly attempt: AttemptLimits }>
> = {
  container: NATIVE,
  vm: NATIVE,
  emulated: { withinMs: 300_000, attempt: { first: 6_000, longest: 30_000 } },
};

/** Machines whose first frame is awaited at the same time: each has its whole picture in memory. */
const MOST_AT_ONCE = 16;
/** Milliseconds that a machine has its place for at most: others do not wait for one that hangs. */
const LONGEST_MS = 1_000;

const places = new ConcurrencyLimit(MOST_AT_ONCE);

/** The script in the guest times out this much before the attempt, in milliseconds. */
const MARGIN_MS = 1_000;

/**
 * Resolves when the machine is ready: it has painted a frame, its window manager runs and a command
 * can run. Rejects with `guest_timeout` after `ms` milliseconds and names the missing parts. An
 * attempt that times out is repeated over a new connection.
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
    const attemptOnce = async () => {
      const begun = performance.now();
      try {
        await withGuestDeadline(withinMs, 'no answer', deadline.signal, (s) =>
          attempt(s, withinMs),
        );
        waiting.delete(what);
      } catch (error) {
        // Its end is no reason of its own.
        if (!deadline.signal.aborted) waiting.set(what, publicMessage(error));
        const isLate = performance.now() - begun > withinMs - MARGIN_MS;
        if (isLate) withinMs = Math.min(withinMs * 1.5, limits.longest);
        throw error;
      }
    };
    const { signal } = deadline;
    return retryUntilSuccess(attemptOnce, { signal, isPermanent: engineIsAway });
  };
  const deadline = new AbortController();
  try {
    await withGuestDeadline(ms, '', signal, (inner) => {
      onAbort(inner, (reason) => deadline.abort(reason));
      return Promise.all([
        attempts('screen', (s) => firstFrame(session, s)),
        session.describe(inner).then(async ({ shell }) => {
          if (shell) await attempts('shell', (s, withinMs) => runReady(session, s, withinMs));
        }),
      ]);
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'guest_timeout')) throw error;
    const reasons = [...waiting].map(([what, reason]) => `${what}: ${reason}`).join('; ');
    const state = waiting.get('shell') === NOT_PAINTED ? await desktopState(session, signal) : '';
    const message = `The desktop was not ready within ${ms / 1000} s (${reasons}).${state}`;
    throw new ApiError('guest_timeout', message, { cause: error });
  } finally {
    deadline.abort();
  }
}

function engineIsAway(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'engine_unavailable';
}

function firstFrame({ screen }: Session, signal: AbortSignal): Promise<void> {
  return orClose(screen, signal, () => screen.prepare(async () => undefined, signal));
}

async function runReady({ shell }: Session, signal: AbortSignal, ms: number): Promise<void> {
  const input = {
    command: READY_SCRIPT,
    timeoutMs: Math.max(ms - MARGIN_MS, MARGIN_MS),
    background: false,
    signal,
  };
  const result = await orClose(shell, signal, () =>
    shell.prepare((open) => open.run(input), signal),
  );
  if (result.timedOut) throw new ApiError('guest_failed', NOT_PAINTED);
  if (result.exitCode !== 0) throw new ApiError('guest_failed', excerpt(result.stderr));
}

/** Sentences to add to the error of a desktop that was not painted; empty if its shell is silent. */
async function desktopState({ shell }: Session, signal: AbortSignal): Promise<string> {
  const input = { command: STATE_SCRIPT, timeoutMs: STATE_MS, background: false };
  try {
    const { stdout } = await withGuestDeadline(STATE_MS, '', signal, (inner) =>
      orClose(shell, inner, () =>
        shell.prepare((open) => open.run({ ...input, signal: inner }), inner),
      ),
    );
    const [running = '', ...errors] = stdout.split('\n');
    return ` Running: ${excerpt(running) || 'no program of it'}. Last errors: ${excerpt(errors.join(' '), MOST_ERRORS) || 'none'}.`;
  } catch {
    return '';
  }
}

/**
 * Closes the connection as soon as the attempt is aborted. Later, the next attempt may already use a
 * new connection.
 */
async function orClose<T>(
  link: { close(): void },
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const dispose = onAbort(signal, () => link.close());
  try {
    return await work();
  } finally {
    dispose();
  }
}

/**
 * Resolves when few machines that were just started wait to become ready. The returned function ends
 * the caller's wait; it is idempotent.
 */
export async function readyPlace(signal: AbortSignal): Promise<() => void> {
  const release = await abortable(places.acquire(), signal, { onLate: (late) => late() });
  let isLeft = false;
  const leave = () => {
    clearTimeout(timer);
    if (!isLeft) release();
    isLeft = true;
  };
  const timer = setTimeout(leave, LONGEST_MS);
  return leave;
}
