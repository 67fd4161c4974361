import { SETTLE_MS } from '../../contract/constants.js';
import type { Screenshot, Settle } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/time-limit.js';

export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A {@link Settle}, or its earlier spelling in this client. */
type SettleOption =
  | Settle
  | {
      /** @deprecated `quiet_ms` */
      readonly quietMs: number;
      /** @deprecated `max_ms` */
      readonly maxMs: number;
    };

export interface ScreenshotOptions extends CallOptions {
  /** `png` by default. */
  readonly format?: Screenshot['format'] | undefined;
  /** 1 to 100, for jpeg and webp. */
  readonly quality?: number | undefined;
  /** Factor on width and height, 0.05 to 1. */
  readonly scale?: number | undefined;
  /** The part of the screen to take, in pixels. */
  readonly region?: Region | undefined;
  /** Whether to draw the pointer. */
  readonly cursor?: boolean | undefined;
  /** Wait first until nothing has changed for `quiet_ms`, but at most `max_ms`. */
  readonly settle?: SettleOption | undefined;
}

/** A picture with numbered boxes around the elements that can be clicked, and their list. */
export interface MarkedScreenshot
  extends Pick<Screenshot, 'width' | 'height' | 'format'>,
    Required<Pick<Screenshot, 'frame' | 'marks' | 'truncated'>> {
  /** The bytes of the image file. */
  readonly image: Uint8Array<ArrayBuffer>;
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
    region: region && regionTuple(region).join(),
    settle: settleText(settle),
    cursor: cursor === undefined ? undefined : cursor ? ('1' as const) : ('0' as const),
  };
}

function settleText(settle: ScreenshotOptions['settle']): string | undefined {
  if (typeof settle !== 'object') return settle === undefined ? undefined : settle ? '1' : '0';
  if ('quietMs' in settle) return `${settle.quietMs},${settle.maxMs}`;
  const { quiet_ms = SETTLE_MS.quiet, max_ms = SETTLE_MS.max } = settle;
  return `${quiet_ms},${max_ms}`;
}

/** A region as the fields of an operation have it. */
export function regionTuple({ x, y, width, height }: Region): [number, number, number, number] {
  return [x, y, width, height];
}
