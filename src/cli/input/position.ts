import { UsageError } from '../errors/cli-error.js';
import type { Argument } from '../framework/define.js';
import { number, pixel } from './parse.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Parses `640,400` or `640 400`. */
export function point(text: string): Point {
  const [x, y, ...rest] = split([text]);
  if (x !== undefined && y !== undefined && rest.length === 0) return pointOf(x, y);
  throw new UsageError(`must be X,Y in pixels, such as 640,400, not ${JSON.stringify(text)}`);
}

/** The last argument: a point as `640 400` or `640,400`. */
export const positionArgument: Argument<Point> = {
  name: 'position',
  required: true,
  variadic: true,
  summary: 'X Y or X,Y, pixels from the top left corner',
  read: (raw) => {
    const words = Array.isArray(raw) ? raw : [];
    const [x, y, ...rest] = split(words);
    if (x !== undefined && y !== undefined && rest.length === 0) return pointOf(x, y);
    throw new UsageError(`must be X Y or X,Y in pixels, not ${quoted(words)}`);
  },
};

/** The last argument: a point, or nothing. */
export const optionalPositionArgument: Argument<Partial<Point>> = {
  name: 'position',
  required: false,
  variadic: true,
  summary: 'X Y or X,Y, pixels from the top left corner (default: where the pointer is)',
  read: (raw) => (Array.isArray(raw) && raw.length > 0 ? positionArgument.read(raw) : {}),
};

/** The last argument: a start and an end. */
export const twoPositionsArgument: Argument<{ readonly start: Point; readonly end: Point }> = {
  name: 'positions',
  required: true,
  variadic: true,
  summary: 'start and end, as X Y X Y or X,Y X,Y, in pixels from the top left corner',
  read: (raw) => {
    const words = Array.isArray(raw) ? raw : [];
    const [x1 = '', y1 = '', x2 = '', y2, ...rest] = split(words);
    if (y2 !== undefined && rest.length === 0)
      return { start: pointOf(x1, y1), end: pointOf(x2, y2) };
    throw new UsageError(`must be X Y X Y or X,Y X,Y in pixels, not ${quoted(words)}`);
  },
};

const steps = number({ min: 1, max: 100, unit: 'steps' });

/** The last argument of `move`: a point, or nothing for a text. */
export const moveArgument: Argument<Partial<Point>> = {
  ...optionalPositionArgument,
  summary: 'X Y or X,Y, pixels from the top left corner; not with --text',
};

interface Scroll extends Partial<Point> {
  readonly amount?: number;
}

/** The last argument of `click`: a point, or nothing for an element. */
export const clickArgument: Argument<Partial<Point>> = {
  ...optionalPositionArgument,
  summary: 'X Y or X,Y, pixels from the top left corner; not with --element, --text or --mark',
};

/** The last arguments of `scroll`: nothing, a number of steps, a position, or both. */
export const scrollArgument: Argument<Scroll> = {
  name: 'amount',
  required: false,
  variadic: true,
  summary: 'wheel steps (default: 3), and X Y or X,Y to move the mouse to first',
  read: (raw) => {
    const words = Array.isArray(raw) ? raw : [];
    const [first, second, third, ...rest] = split(words);
    if (first === undefined) return {};
    if (second === undefined) return { amount: steps(first) };
    if (third === undefined) return pointOf(first, second);
    if (rest.length === 0) return { amount: steps(first), ...pointOf(second, third) };
    throw new UsageError(`must be STEPS and X,Y in pixels, not ${quoted(words)}`);
  },
};

function pointOf(x: string, y: string): Point {
  return { x: pixel(x), y: pixel(y) };
}

/** The numbers of `640,400`, `640 400` and `640, 400`. */
function split(words: readonly string[]): string[] {
  const text = words.join(' ').trim();
  return text === '' ? [] : text.split(/\s*,\s*|\s+/);
}

function quoted(words: readonly string[]): string {
  return JSON.stringify(words.join(' '));
}
