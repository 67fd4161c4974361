import type { ActionResult } from '../../contract/actions/actions.js';
import type { Settle } from '../../contract/actions/settle.js';
import { ApiError } from '../../contract/errors.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import type { Screen } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import type { PreparedInput } from './input-actions.js';

const INPUT_MS = 30_000;
const TIDY_MS = 2_000;

interface Performance {
  readonly session: Session;
  readonly record: ComputerRecord;
  readonly prepared: PreparedInput;
  /** Called after the action, also after one that failed. */
  onActed(screen: Screen): void;
  readonly signal: AbortSignal | undefined;
}

/** Performs an action on the computer's screen, within its turn of the input queue. */
export async function performInput({
  session,
  record,
  prepared: { takesMs, settle, perform },
  onActed,
  signal,
}: Performance): Promise<ActionResult> {
  const ms = INPUT_MS + takesMs + (settle?.max_ms ?? 0);
  const message = `The screen of ${JSON.stringify(record.name)} did not take the input in time.`;
  let working: Promise<unknown> = Promise.resolve();
  const work = async (screen: Screen, s: AbortSignal): Promise<ActionResult> => {
    try {
      await perform(screen, s);
    } finally {
      onActed(screen);
    }
    if (settle === undefined) return { success: true };
    return { success: true, settled: await settled(screen, settle, s) };
  };
  try {
    return await withGuestDeadline(ms, message, signal, (s) =>
      session.screen.use((screen) => {
        const result = work(screen, s);
        working = result;
        return result;
      }, s),
    );
  } catch (error) {
    // The next action gets a new connection, with no button or key held.
    dropIfFrozen(session.screen, error);
    // Let the aborted action release its buttons and keys before the next one begins.
    await resolvesWithin(
      working.catch(() => undefined),
      TIDY_MS,
    );
    throw error;
  }
}

/** After a timeout the next use opens a new connection. */
export function dropIfFrozen(link: { drop(): void }, error: unknown): void {
  if (error instanceof ApiError && error.code === 'guest_timeout') link.drop();
}

/** Waits for the screen to settle; false if it did not in time. */
export async function settled(
  screen: Screen,
  settle: Settle,
  signal: AbortSignal,
): Promise<boolean> {
  if (settle === undefined) return true;
  return screen.settle({ quietMs: settle.quiet_ms, maxMs: settle.max_ms, signal });
}
