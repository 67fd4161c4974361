import type {
  CursorPosition,
  ImageFormat,
  ScreenshotQuery,
} from '../../contract/actions/actions.js';
import type { Settle } from '../../contract/actions/settle.js';
import type { Picture, PictureOptions, Screen, Size } from '../../screen/types.js';
import type { Marked } from '../elements/marks.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import type { ComputerRecord } from '../store/records.js';
import { dropIfFrozen, settled } from './perform-input.js';

const SCREENSHOT_MS = 15_000;

export type ScreenshotRequest = ScreenshotQuery & { readonly format: ImageFormat };

/** A screenshot when the screen has settled; `boxes` are drawn into it. */
export function takeScreenshot(
  session: Session,
  record: ComputerRecord,
  query: ScreenshotRequest & Pick<PictureOptions, 'boxes'>,
  signal?: AbortSignal,
): Promise<Picture> {
  return whenSettled(
    session,
    record,
    query.settle,
    (screen, s) => screen.screenshot(query, s),
    signal,
  );
}

/** A screenshot with the elements that can be clicked on it. */
export async function takeMarkedScreenshot(
  session: Session,
  record: ComputerRecord,
  query: ScreenshotRequest,
  mark: () => Promise<Marked>,
  signal?: AbortSignal,
): Promise<Picture & Marked> {
  if (query.settle) await whenSettled(session, record, query.settle, async () => undefined, signal);
  const marked = await mark();
  const boxes = marked.marks.map(({ mark: number, box }) => ({ number, box }));
  const wanted = { ...query, settle: undefined, boxes };
  return { ...(await takeScreenshot(session, record, wanted, signal)), ...marked };
}

async function whenSettled<T>(
  { screen: connection }: Session,
  record: ComputerRecord,
  settle: Settle,
  work: (screen: Screen, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const message = `The screen of ${JSON.stringify(record.name)} did not answer in time.`;
  return withGuestDeadline(SCREENSHOT_MS + (settle?.max_ms ?? 0), message, signal, (s) =>
    connection.use(async (screen) => {
      await settled(screen, settle, s);
      return work(screen, s);
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
