import type { Size } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';

/** Milliseconds for a connection to the screen and its answer. */
const RESIZE_MS = 10_000;

/**
 * Gives a screen this size. False if it keeps another: Wine's desktop has the size with which it was
 * started, and another operating system chooses its own.
 */
export async function resizeScreen(
  session: Session,
  size: Size,
  signal: AbortSignal,
): Promise<boolean> {
  const { programs } = await session.describe(signal);
  return programs === 'x11' && changeScreen(session, size, signal);
}

/** The same, also of Wine's X server: true if its desktop has to be started again. */
export async function fitScreen(
  session: Session,
  size: Size,
  signal: AbortSignal,
): Promise<boolean> {
  const { programs } = await session.describe(signal);
  if (programs === 'native') return false;
  const isBefore = await session.screen.prepare(
    async (screen) => isSame(screen.size, size),
    signal,
  );
  return !isBefore && (await changeScreen(session, size, signal)) && programs === 'wine';
}

function changeScreen(session: Session, size: Size, signal: AbortSignal): Promise<boolean> {
  const late = 'The screen did not answer in time.';
  return withGuestDeadline(RESIZE_MS, late, signal, (inner) =>
    session.screen.prepare((screen) => screen.resize(size, inner), inner),
  );
}

function isSame(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
