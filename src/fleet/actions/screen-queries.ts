import type {
  CursorPosition,
  ImageFormat,
  ScreenshotQuery,
} from '../../contract/actions/actions.js';
import type { Picture, Size } from '../../screen/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import { dropIfFrozen, settled } from './perform-input.js';

const SCREENSHOT_MS = 15_000;

export type ScreenshotRequest = ScreenshotQuery & { readonly format: ImageFormat };

export async function takeScreenshot(
  { screen: connection }: Session,
  record: ComputerRecord,
  query: ScreenshotRequest,
  signal?: AbortSignal,
): Promise<Picture> {
  const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
  const { settle } = query;
  return withGuestDeadline(SCREENSHOT_MS + (settle?.max_ms ?? 0), message, signal, (s) =>
    connection.use(async (screen) => {
      await settled(screen, settle, s);
      return screen.screenshot(query, s);
    }, s),
  ).catch((error) => {
    dropIfFrozen(connection, error);
    throw error;
  });
}

/** A small JPEG; the computer does not count as used. */
export async function takeThumbnail(
  { screen: connection }: Session,
  record: ComputerRecord,
  width: number,
  signal?: AbortSignal,
): Promise<Picture> {
  const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
  return withGuestDeadline(SCREENSHOT_MS, message, signal, (s) =>
    connection.watch((screen) => {
      const scale = Math.min(1, width / screen.size.width);
      return screen.screenshot({ format: 'jpeg', quality: 60, scale, cursor: false }, s);
    }, s),
  ).catch((error) => {
    dropIfFrozen(connection, error);
    throw error;
  });
}

/** The pointer's position, as far as clients have moved it. */
export async function cursorPosition(
  session: Session,
  signal?: AbortSignal,
): Promise<CursorPosition> {
  const { x, y } = session.pointer ?? (await session.screen.use(async (s) => s.pointer, signal));
  return { success: true, x, y };
}

export interface ComputerFacts {
  readonly size: Size;
  readonly pointer: { readonly x: number; readonly y: number };
  readonly hasShell: boolean;
}

/** What a model's tool has to know of the computer. */
export async function computerFacts(
  session: Session,
  signal?: AbortSignal,
): Promise<ComputerFacts> {
  const { shell } = await session.describe(signal);
  return session.screen.use(
    async ({ size, pointer }) => ({
      size: { ...size },
      pointer: { ...pointer },
      hasShell: shell !== undefined,
    }),
    signal,
  );
}
