import { ApiError } from '../../contract/errors.js';
import type { Size } from '../../screen/types.js';

/** Converts a point of a scaled screenshot to screen pixels. */
export type ToScreen = (x: number, y: number) => { x: number; y: number };

/**
 * Converts points of a screenshot that was taken with `scale` to a screen of `size`.
 * The function throws ApiError `off_screen`, which says the scaled size, for a point outside.
 */
export function unscaled(size: Size, scale: number | undefined): ToScreen {
  if (scale === undefined || scale === 1) return (x, y) => ({ x, y });
  const width = Math.max(1, Math.round(size.width * scale));
  const height = Math.max(1, Math.round(size.height * scale));
  return (x, y) => {
    if (x < 0 || y < 0 || x >= width || y >= height) {
      throw new ApiError(
        'off_screen',
        `the point ${x},${y} is outside the screen, which at scale ${scale} is ${width}x${height}: x from 0 to ${width - 1}, y from 0 to ${height - 1}`,
      );
    }
    return {
      x: Math.min(size.width - 1, Math.round(x / scale)),
      y: Math.min(size.height - 1, Math.round(y / scale)),
    };
  };
}
