import type { BatchAction, BatchResult } from '../../contract/actions/batch.js';
import type { ComputerUse as Request } from '../../contract/actions/computer-use.js';
import type { Size } from '../../screen/types.js';
import type { DialectLimits, UsePicture } from './actions.js';
import { DEFAULT_EDGE, type Frame, pictureScale } from './frames.js';

/** Settling before a picture that follows actions. */
const SETTLE = { quiet_ms: 100, max_ms: 2000 } as const;

type Screenshot = Extract<BatchAction, { action: 'screenshot' }>;
export type Region = Screenshot['region'];

interface Wanted {
  readonly screen: Size;
  readonly limits: DialectLimits;
  readonly region?: Region;
}

/** The step that takes a picture as a request wants it, within the limits of its dialect. */
export function pictureStep(
  { format, quality, settle, max_edge = DEFAULT_EDGE }: Omit<Request, 'items' | 'acknowledge'>,
  { screen, limits, region }: Wanted,
): Screenshot {
  return {
    action: 'screenshot',
    format,
    quality,
    cursor: true,
    marks: false,
    region,
    scale: pictureScale(region ?? screen, max_edge, limits),
    settle: settle ? SETTLE : undefined,
  };
}

/** The last picture among results. */
export function lastPicture(results: BatchResult['results']) {
  const result = results.findLast((one) => 'image' in one);
  return result !== undefined && 'image' in result ? result : undefined;
}

/** What the first picture after another had control says of it. */
export function noticeOf(results: BatchResult['results']): string | undefined {
  return results.flatMap((one) => ('control_notice' in one ? (one.control_notice ?? []) : []))[0];
}

/** The text of a result with it; shapes whose results have no text get it apart. */
export function withNotice(text: string | undefined, notice: string | undefined) {
  const all = [text, notice].filter((part) => part !== undefined);
  return all.length === 0 ? undefined : all.join('\n');
}

/** What a result keeps in memory. */
export function bytesOf(picture?: UsePicture, text?: string): number {
  return (picture?.data.length ?? 0) + (text?.length ?? 0) * 2 + 500;
}

/** A frame as an answer lists it. */
export function describe({
  id,
  width,
  height,
  screen,
  isWhole,
}: Frame & { readonly isWhole: boolean }) {
  return { id, width, height, screen: { ...screen }, whole: isWhole };
}
