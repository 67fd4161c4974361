import type { Picture } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';

/** Milliseconds for a picture; a screen that does not answer delays an action no longer. */
const PICTURE_MS = 3_000;
/** The screen counts as settled when nothing has changed for this long, or after the longest wait. */
const SETTLE = { quietMs: 200, maxMs: 2_000 } as const;

/** Takes PNG pictures of a computer's screen without the pointer. It is no use of the computer. */
export function captureFor({ screen: connection }: Session, record: ComputerRecord) {
  const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
  return (when: 'settle' | 'now', signal?: AbortSignal): Promise<Picture> =>
    withGuestDeadline(
      when === 'settle' ? PICTURE_MS + SETTLE.maxMs : PICTURE_MS,
      message,
      signal,
      (s) =>
        connection.watch(async (screen) => {
          if (when === 'settle') await screen.settle({ ...SETTLE, signal: s });
          return screen.screenshot({ format: 'png', quality: 80, scale: 1, cursor: false }, s);
        }, s),
    );
}
