import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { Size } from '../../screen/types.js';
import type { DialectLimits, Place, UseCall } from './actions.js';
import { type Caller, isOf, nameOf, type Removed } from './caller.js';

/** A picture that a model was shown, and the screen's size then. */
export interface Frame extends Size {
  readonly id: string;
  readonly screen: Size;
}

/** Pixels of the longer edge of a picture, unless the request says otherwise. */
export const DEFAULT_EDGE = 1280;
/** Pixels of a model's patches; see {@link DialectLimits}. */
const PATCH = 28;
/** Pictures that are remembered; beyond it the one that was shown longest ago is forgotten. */
const MOST = 10_000;

/** The factor of a picture whose longer edge has at most `edge` pixels, within the dialect's limits. */
export function pictureScale(screen: Size, edge: number, limits: DialectLimits): number {
  let scale = Math.min(1, Math.min(edge, limits.edge) / Math.max(screen.width, screen.height));
  const patches = () =>
    Math.ceil(Math.round(screen.width * scale) / PATCH) *
    Math.ceil(Math.round(screen.height * scale) / PATCH);
  while (patches() > limits.patches) scale *= 0.98;
  return scale;
}

/** The size of a picture at `scale`. */
export function scaled({ width, height }: Size, scale: number): Size {
  const length = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  return { width: length(width), height: length(height) };
}

/** The last picture that each API key was shown of each computer. */
export class Frames {
  /** By key and computer, the oldest first. */
  readonly #frames = new Map<string, { readonly caller: Caller; readonly frame: Frame }>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  last(caller: Caller): Frame | undefined {
    return this.#frames.get(nameOf(caller))?.frame;
  }

  shown(caller: Caller, frame: Frame): void {
    this.#frames.delete(nameOf(caller));
    this.#frames.set(nameOf(caller), { caller, frame });
    const [oldest] = this.#frames.keys();
    if (oldest !== undefined && this.#frames.size > this.#most) this.#frames.delete(oldest);
  }

  /** Forgets the pictures of a key or computer that was removed. */
  forget(removed: Removed): void {
    for (const [name, { caller }] of this.#frames) {
      if (isOf(caller, removed)) this.#frames.delete(name);
    }
  }
}

/** An id that no other frame has. */
export function frameId(): string {
  return `frm_${randomBytes(9).toString('base64url')}`;
}

/** Converts a point of a call to the screen's pixels. */
export type ToScreen = (place: Place) => Place;

/**
 * Converts points that the model read from `frame`, or from a picture of that size that it was not
 * shown yet. The function throws ApiError `off_screen` for a point outside.
 */
export function toScreen(units: UseCall['units'], frame: Size, screen: Size): ToScreen {
  if (units === 'pixels') {
    return ({ x, y }) => {
      if (x < 0 || y < 0 || x >= frame.width || y >= frame.height) {
        throw outside(
          `${x}, ${y}`,
          `picture: x from 0 to ${frame.width - 1}, y from 0 to ${frame.height - 1}`,
        );
      }
      return {
        x: pixel(x / frame.width, screen.width),
        y: pixel(y / frame.height, screen.height),
      };
    };
  }
  const { last, whole } = units;
  return ({ x, y }) => {
    if (x < 0 || y < 0 || x > last || y > last) {
      throw outside(`${x}, ${y}`, `screen: x and y from 0 to ${last}`);
    }
    return { x: pixel(x / whole, screen.width), y: pixel(y / whole, screen.height) };
  };
}

function pixel(share: number, size: number): number {
  return Math.min(size - 1, Math.round(share * size));
}

function outside(point: string, of: string): ApiError {
  return new ApiError('off_screen', `The point ${point} is outside the ${of}.`);
}

/** That the points of a call are those of a picture before the screen changed its size. */
export function staleFrame(before: Size, now: Size, remedy: string): ApiError {
  const size = ({ width, height }: Size) => `${width}x${height}`;
  return new ApiError(
    'conflict',
    `The screen was ${size(before)} in the last picture and is ${size(now)} now. Nothing was done.`,
    { remedy },
  );
}

export function sameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}

/** A point of the screen in the units that the model knows. */
export function toPicture(
  at: { x: number; y: number },
  screen: Size,
  shown: Size,
  units: UseCall['units'],
) {
  const whole = units === 'pixels' ? shown : { width: units.whole, height: units.whole };
  return {
    x: Math.round((at.x / screen.width) * whole.width),
    y: Math.round((at.y / screen.height) * whole.height),
  };
}
