import type { Screenshot } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/options.js';

export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ScreenshotOptions extends CallOptions {
  /** `png` by default. */
  readonly format?: Screenshot['format'];
  /** 1 to 100, for jpeg and webp. */
  readonly quality?: number;
  /** Factor on width and height, 0.05 to 1. */
  readonly scale?: number;
  /** The part of the screen to take, in pixels. */
  readonly region?: Region;
  /** Whether to draw the pointer. */
  readonly cursor?: boolean;
  /** Wait first until nothing has changed for `quietMs`, but at most `maxMs`. */
  readonly settle?: boolean | { readonly quietMs: number; readonly maxMs: number };
}

/** The query of the screenshot operation for `options`. */
export function screenshotQuery({
  region,
  cursor,
  format,
  quality,
  scale,
  settle,
}: Omit<ScreenshotOptions, keyof CallOptions>) {
  return {
    format,
    quality,
    scale,
    region: region && `${region.x},${region.y},${region.width},${region.height}`,
    settle: settleText(settle),
    cursor: cursor === undefined ? undefined : cursor ? ('1' as const) : ('0' as const),
  };
}

function settleText(settle: ScreenshotOptions['settle']): string | undefined {
  if (typeof settle === 'object') return `${settle.quietMs},${settle.maxMs}`;
  return settle === undefined ? undefined : settle ? '1' : '0';
}
